/** What the dialects change in the frames that we send. All of them take the commands of every dialect. */
import type { ThinkingLevel } from "../../domain/model/Model.ts"
import type { DialectName } from "../../services/host/Dialect.ts"

/** Whether a run that retries is one run for the host, or one for each attempt. */
export type AgentEnd = "final" | "per-attempt"

export interface Dialect {
  readonly name: DialectName
  /** Unless the host was started with another choice. */
  readonly agentEnd: AgentEnd
  /** One `compaction` event in place of the frames at the start and the end. */
  readonly compactionEvent?: true
  /** Malformed input is answered by an `error` event. */
  readonly errorEvent?: true
  /** The result of a failed tool call is its text. */
  readonly failureText?: true
  /** User messages in events have the attachments of their prompt. */
  readonly echoesAttachments?: true
  /** Failures of all other commands are answered as if they could not be parsed, without their id (protocol.md D5). */
  readonly answersFailuresOf?: ReadonlyArray<string>
  /** `get_state` always has these of its two large members. */
  readonly largeState?: ReadonlyArray<"systemPrompt" | "dumpTools">
  /** `setTitle` is sent without the variable that asks for it. */
  readonly emitsTitle?: true
  /** The notice about settings of other programs is not sent: the documents of the dialect have no such event. */
  readonly hidesForeignSettings?: true
  /** The highest thinking level that hosts know. */
  readonly highestLevel?: ThinkingLevel
}

const plain = (name: DialectName): Dialect => ({ name, agentEnd: "final" })

export const superset = plain("superset")

const xcsh = { highestLevel: "xhigh", largeState: ["dumpTools"], hidesForeignSettings: true } as const

/** The handlers of xcsh answer these failures. What the others throw, its reader takes for a line that it cannot parse. */
const answeredByXcsh = ["prompt", "abort_and_prompt", "set_model", "set_session_name"]

export const dialects: { readonly [Name in DialectName]: Dialect } = {
  superset,
  pi: { ...plain("pi"), emitsTitle: true },
  omp: plain("omp"),
  pisces: { ...plain("pisces"), hidesForeignSettings: true },
  xcsh: { ...plain("xcsh"), ...xcsh },
  "pi-early": {
    ...plain("pi-early"),
    compactionEvent: true,
    errorEvent: true,
    failureText: true,
    echoesAttachments: true,
    hidesForeignSettings: true
  },
  "xcsh-strict": {
    ...plain("xcsh-strict"),
    ...xcsh,
    agentEnd: "per-attempt",
    answersFailuresOf: answeredByXcsh,
    largeState: ["systemPrompt", "dumpTools"]
  }
}

/** The level as hosts of the dialect know it, and the exact one where they do not. */
export const levelMembers = (dialect: Dialect, level: ThinkingLevel) =>
  level === "max" && dialect.highestLevel !== undefined
    ? { thinkingLevel: dialect.highestLevel, thinkingLevelExact: level }
    : { thinkingLevel: level }
