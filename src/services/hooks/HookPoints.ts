/**
 * The points at which a session asks its hooks, and what a hook may answer at each (protocol.md 11.4). Every event of the
 * session is a point, too, at which hooks only watch.
 */
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { CompactionReason } from "../../domain/compaction/CompactionResult.ts"
import type { CompactionEntry } from "../../domain/compaction/Preparation.ts"
import type { ImageContent, InputContent, JsonObject } from "../../domain/conversation/Content.ts"
import type { AgentMessage, CustomMessage, ToolOutput } from "../../domain/conversation/Message.ts"
import type { Model } from "../../domain/model/Model.ts"
import type { SessionEntry } from "../../domain/session/SessionEntry.ts"
import type { CallAsked } from "../session/RunStep.ts"
import type { CompactionDecision, CompactionPlan } from "../session/modules/Compaction.ts"

/** Why a session was opened, and which one was left for it. */
export interface SessionOpening {
  readonly reason: "startup" | "new" | "resume" | "fork" | "reload"
  readonly previousSessionFile?: string
}

export interface SessionEnding {
  readonly reason: "quit" | "new" | "resume" | "fork" | "reload"
  readonly targetSessionFile?: string
}

export interface Input {
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  /** Its sender: the host, or an extension. */
  readonly source: "host" | "extension"
  /** The queue that the message joins while a run goes on. */
  readonly whenBusy?: "steering" | "followUp"
  /** How many handlers lie around the sender that were called for messages of others of them. */
  readonly nesting?: number
}

export type InputDecision =
  | { readonly _tag: "Continue" }
  | { readonly _tag: "Transform"; readonly text: string; readonly images?: ReadonlyArray<ImageContent> }
  /** The hook has dealt with the message: no run is started for it. */
  | { readonly _tag: "Handled" }

export interface RunStarting {
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  readonly systemPrompt: string
}

export interface RunAdditions {
  /** Joins the run behind its prompt, and is stored. */
  readonly message?: Pick<CustomMessage, "customType" | "content" | "display" | "details">
  /** Replaces the system prompt for this run. */
  readonly systemPrompt?: string
}

export interface ToolCallDecision {
  /** Other arguments, which the next hook is asked about. A copy of them is made at once. */
  readonly input?: JsonObject
  readonly block?: boolean
  /** What the model reads in place of a result. */
  readonly reason?: string
  /** With `block`: ends the run after the calls of this turn, if all of them ask for it. */
  readonly terminate?: boolean
}

export interface ToolCallAnswered extends Omit<CallAsked, "requested"> {
  readonly content: ReadonlyArray<InputContent>
  readonly details?: JsonObject
  readonly isError: boolean
}

/** Absent members stay as they are. */
export interface ToolResultChange extends Partial<Pick<ToolOutput, "content" | "details">> {
  readonly isError?: boolean
}

export interface UserCommand {
  readonly command: string
  readonly cwd: string
  readonly excludeFromContext: boolean
}

/** Either the result of the command, or other means to run it. */
export type UserCommandAnswer =
  | { readonly _tag: "Result"; readonly output: string; readonly exitCode: number | undefined }
  | {
      readonly _tag: "Run"
      readonly run: (
        onOutput: (text: string) => void
      ) => Effect.Effect<{ readonly exitCode: number | undefined }, { readonly message: string }>
    }

export interface Leaving {
  readonly reason: "new" | "resume"
  readonly targetSessionFile?: string
}

export interface Navigating {
  readonly targetId: string
  readonly oldLeafId: string | null
  readonly entriesToSummarize: ReadonlyArray<SessionEntry>
  readonly summarize: boolean
}

export interface NavigationDecision {
  readonly cancel?: boolean
  readonly summary?: { readonly summary: string; readonly details?: JsonObject }
}

export interface Cancellation {
  readonly cancel?: boolean
}

export interface Resources {
  readonly skillPaths?: ReadonlyArray<string>
  readonly promptPaths?: ReadonlyArray<string>
}

/** Event and answer of every point at which hooks may do more than watch, or that is no event of the session. */
interface OwnPoints {
  readonly sessionStarted: readonly [event: SessionOpening, answer: void]
  /** Awaited for at most two seconds. */
  readonly sessionEnding: readonly [event: SessionEnding, answer: void]
  readonly leaving: readonly [event: Leaving, answer: Cancellation | void]
  readonly branching: readonly [event: { readonly entryId: string }, answer: Cancellation | void]
  readonly navigating: readonly [event: Navigating, answer: NavigationDecision | void]
  readonly navigated: readonly [
    event: { readonly newLeafId: string | null; readonly oldLeafId: string | null },
    answer: void
  ]
  readonly compacting: readonly [event: CompactionPlan, answer: CompactionDecision | void]
  readonly compacted: readonly [
    event: { readonly entry: CompactionEntry; readonly reason: CompactionReason },
    answer: void
  ]
  readonly resources: readonly [event: SessionOpening, answer: Resources | void]
  readonly input: readonly [event: Input, answer: InputDecision | void]
  readonly runStarting: readonly [event: RunStarting, answer: RunAdditions | void]
  /** The messages of the next model call. The answer is for that call only. */
  readonly context: readonly [
    event: { readonly messages: ReadonlyArray<AgentMessage> },
    answer: { readonly messages: ReadonlyArray<AgentMessage> } | void
  ]
  /** The body of the request to a provider. The answer replaces it. */
  readonly providerRequest: readonly [
    event: { readonly model: Model; readonly payload: unknown },
    answer: { readonly payload: unknown } | void
  ]
  readonly providerResponse: readonly [
    event: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
    answer: void
  ]
  /** A message that is complete, before it is stored. The answer replaces it, and has the same role. */
  readonly messageEnding: readonly [
    event: { readonly message: AgentMessage },
    answer: { readonly message: AgentMessage } | void
  ]
  readonly toolCall: readonly [event: CallAsked, answer: ToolCallDecision | void]
  readonly toolResult: readonly [event: ToolCallAnswered, answer: ToolResultChange | void]
  readonly userCommand: readonly [event: UserCommand, answer: UserCommandAnswer | void]
}

type EventPoints = { readonly [Event in AgentEvent as Event["_tag"]]: readonly [event: Event, answer: void] }

export type HookPoints = OwnPoints & EventPoints
export type HookPoint = keyof HookPoints
export type HookEvent<P extends HookPoint> = HookPoints[P][0]
export type HookAnswer<P extends HookPoint> = HookPoints[P][1]
