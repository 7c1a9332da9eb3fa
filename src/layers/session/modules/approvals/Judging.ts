/**
 * What there is to know of an effect that is judged, and the verdict on it. Loaded when something is judged for the first time: the
 * parser of command lines is behind it.
 */
import * as Effect from "effect/Effect"
import * as CanonicalJson from "../../../../domain/approvals/CanonicalJson.ts"
import * as Covers from "../../../../domain/approvals/Covers.ts"
import * as Policy from "../../../../domain/approvals/Policy.ts"
import type { Decision, FileDiff } from "../../../../domain/approvals/Question.ts"
import * as Risk from "../../../../domain/approvals/risk/Risk.ts"
import * as Rule from "../../../../domain/approvals/Rule.ts"
import type { FileTool, Places, Subject } from "../../../../domain/approvals/Subject.ts"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { EffectAsked } from "../../../../services/Approvals.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as ContentHash from "../../../machine/files/folders/ContentHash.ts"
import type { Resolve } from "./Places.ts"
import * as ShellParser from "./ShellParser.ts"

const utf8 = new TextEncoder()

export const argsHash = (args: JsonObject): string =>
  `sha256:${ContentHash.ofBytes(utf8.encode(CanonicalJson.print(args)))}`

const fileTools: ReadonlyArray<FileTool> = ["read", "grep", "find", "ls", "write", "edit"]

const isText = (value: unknown): value is string => typeof value === "string"

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {}

/** How a call is looked at. */
export interface View {
  readonly resolve: Resolve
  readonly places: Places
  /** Whether the sandbox holds what is started, and what the file tools do. */
  readonly hasSandbox: boolean
  readonly isRemembered: boolean
}

/** Where a path leads; as it is written where that cannot be told. */
const realOf = ({ resolve }: View, path: string) => Effect.orElseSucceed(resolve(path), () => path)

const bash = Effect.fnUntraced(function* ({ args }: EffectAsked, view: View) {
  const { hasSandbox, isRemembered, places } = view
  const { command, cwd, env, escalate } = args
  const folder = isText(cwd) ? LocalPaths.ofArgument(cwd, places) : places.cwd
  const subject: Subject = {
    _tag: "Bash",
    places,
    isRemembered,
    isSandboxed: hasSandbox && escalate !== true,
    line: ShellParser.read(isText(command) ? command : ""),
    cwd: yield* realOf(view, folder),
    env: textsOf(env),
    escalates: hasSandbox && escalate === true
  }
  return subject
})

const file = Effect.fnUntraced(function* (tool: FileTool, { args }: EffectAsked, view: View) {
  const { hasSandbox, isRemembered, places } = view
  const argument = args["path"]
  const path = LocalPaths.ofArgument(isText(argument) ? argument : ".", places)
  const real = yield* realOf(view, path)
  const subject: Subject = { _tag: "File", places, isRemembered, isSandboxed: hasSandbox, tool, path, real }
  return subject
})

/** The effect as rules and risks see it. */
export const subjectOf = (asked: EffectAsked, view: View): Effect.Effect<Subject> => {
  const { args, tool } = asked
  const { isRemembered, places } = view
  const common = { places, isRemembered, isSandboxed: false }
  const { name, server, source } = tool
  if (source === "user" || source === "verification") return bash(asked, view)
  if (source === "host" || source === "extension")
    return Effect.succeed({ _tag: "Named", tool: source, name, ...common })
  if (source === "mcp") return Effect.succeed({ _tag: "Named", tool: "mcp", name: `${server}/${name}`, ...common })
  if (name === "bash") return bash(asked, view)
  if (name === "task") return Effect.succeed({ _tag: "Named", tool: "task", name: String(args["agent"]), ...common })
  const fileTool = fileTools.find((one) => one === name)
  return fileTool === undefined ? Effect.succeed({ _tag: "Other", tool: name, ...common }) : file(fileTool, asked, view)
}

/** What the user may answer. */
export const choicesOf = (subject: Subject, hasSandbox: boolean): ReadonlyArray<Decision> => {
  if (subject._tag === "Bash" && subject.escalates) return ["escalate", "allow_once", "deny"]
  const escalate: ReadonlyArray<Decision> = subject._tag === "Bash" && hasSandbox ? ["escalate"] : []
  return ["allow_once", "allow_session", "allow_rule", ...escalate, "deny"]
}

/** The members of a question that follow from its subject. */
export const questionOf = (subject: Subject, hasSandbox: boolean, diff: ReadonlyArray<FileDiff> | undefined) => ({
  ...(diff === undefined || diff.length === 0 ? {} : { diff }),
  risk: Risk.of(subject),
  rule: Covers.proposed(subject),
  choices: choicesOf(subject, hasSandbox)
})

/** Whether a rule would have allowed the effect if it had been there. */
export const covers = (rule: Rule.Rule, subject: Subject): boolean => Covers.allows([rule], subject) !== undefined

export const judge = Policy.judge
export const riskOf = Risk.of

/** The words of the command line that would have allowed the effect. */
export const optionFor = (subject: Subject): ReadonlyArray<string> =>
  subject._tag === "Bash" && subject.escalates
    ? ["--sandbox", "off"]
    : ["--allow", Rule.print(Covers.proposed(subject))]

export const checkRule = Rule.fromWire
