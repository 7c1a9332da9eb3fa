/** From the parsed command line to what a start needs: values are checked, combined and named. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type BudgetLimits, change } from "../../../../domain/budget/BudgetLimits.ts"
import { isThinkingLevel, type ThinkingLevel } from "../../../../domain/model/Model.ts"
import { type DialectName, dialectNames } from "../../../../services/host/Dialect.ts"
import type { SessionOptions } from "../../../Process.ts"
import * as Text from "../../../../domain/Text.ts"
import { defined } from "../../../../domain/Values.ts"
import * as Environment from "../../../machine/processes/Environment.ts"
import * as FileSettings from "../../../workspace/settings/FileSettings.ts"
import type { SettingsSource } from "../../../workspace/settings/SettingsMerge.ts"
import * as ApprovalOptions from "./ApprovalOptions.ts"
import * as Mode from "./Mode.ts"
import { type AgentEnd, agentEnds, type Given, invalid, optionTable, updateForms } from "./OptionTable.ts"

export interface StartOptions extends Mode.Choice {
  /** Messages and `@file` arguments, in order. */
  readonly words: ReadonlyArray<string>
  /** Text mode writes all text while it streams, wherever stdout goes. */
  readonly stream: boolean
  /** A JSON Schema, or the path of one. */
  readonly outputSchema?: string
  readonly provider?: string
  readonly model?: string
  readonly apiKey?: Redacted.Redacted
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
  readonly skillPaths: ReadonlyArray<string>
  readonly noSkills: boolean
  readonly templatePaths: ReadonlyArray<string>
  readonly noPromptTemplates: boolean
  readonly noContextFiles: boolean
  readonly cwd?: string
  readonly tools?: ReadonlyArray<string>
  readonly excludedTools: ReadonlyArray<string>
  readonly noTools: boolean
  readonly noBuiltinTools: boolean
  readonly overrides: Readonly<Record<string, unknown>>
  /** What options say of settings by other names than `--set`. */
  readonly above: ReadonlyArray<SettingsSource>
  /** What one word says of several settings. */
  readonly preset?: SettingsSource
  /** The defaults of the mode. */
  readonly initial?: SettingsSource
  readonly rpcReset: boolean
  readonly trusted?: boolean
  readonly extensionPaths: ReadonlyArray<string>
  readonly requiredPaths: ReadonlyArray<string>
  readonly noExtensions: boolean
  readonly noRules: boolean
  readonly updates: "full" | "delta"
  readonly dialect?: DialectName
  readonly agentEnd?: AgentEnd
  readonly drain: boolean
  readonly ui: boolean
  readonly emitTitle: boolean
  readonly session: SessionOptions
  /** The person picks one of the stored sessions at the start. */
  readonly picksSession: boolean
  readonly fixedLimits?: BudgetLimits
  readonly unknownFlags?: ReadonlyMap<string, string | true>
}

export const checkChoices = (given: Given) => {
  for (const { choices, name } of optionTable) {
    const wrong = choices === undefined ? undefined : given.values.get(name)?.find((value) => !choices.includes(value))
    if (wrong !== undefined) return invalid(`--${name} must be one of ${choices?.join(", ")}; got "${wrong}"`)
  }
  return Effect.void
}

export const list = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** The values of `--set`, by dotted key. */
export const assignments = Effect.fnUntraced(function* (given: Given) {
  const overrides: Record<string, unknown> = {}
  for (const assignment of given.values.get("set") ?? []) {
    const [key, value] = yield* Either.mapLeft(FileSettings.parseOverride(assignment), invalid)
    overrides[key] = value
  }
  return overrides
})

/** The values of `--set`, and what other options say about settings. */
export const readOverrides = Effect.fnUntraced(function* (given: Given) {
  const isOffline = given.values.has("offline") || Option.isSome(yield* Environment.variable("PI_OFFLINE"))
  const [sandbox, network] = [given.values.get("sandbox")?.[0], given.values.get("network")?.[0]]
  return {
    ...(yield* assignments(given)),
    ...defined({ sandbox, network }),
    ...(isOffline ? { "models.discover": [] } : {})
  }
})

/** What the user says about the project; nothing where they leave it to what they have stored. */
export const trustOf = (has: (name: string) => boolean) =>
  has("approve") || has("no-approve") ? { trusted: has("approve") } : {}

export const checkTrust = (has: (name: string) => boolean) =>
  has("approve") && has("no-approve") ? invalid("--approve and --no-approve contradict each other") : Effect.void

/** The value of an option, else of an environment variable. */
const chosen = Effect.fnUntraced(function* <A extends string>(
  option: string | undefined,
  variable: string,
  choices: ReadonlyArray<A>
) {
  const given = option ?? Option.getOrUndefined(yield* Environment.variable(variable))
  const found = choices.find((choice) => choice === given)
  if (given === undefined || found !== undefined) return found
  return yield* invalid(`${variable} must be one of ${choices.join(", ")}; got "${given}"`)
})

export const dialectOf = ({ values }: Given) => chosen(values.get("dialect")?.[0], "HEDDLE_RPC_DIALECT", dialectNames)

const isYes = (value: Option.Option<string>) =>
  Option.exists(value, (word) => ["1", "true", "yes", "on"].includes(word.trim().toLowerCase()))

const checkTogether = (has: (name: string) => boolean) => {
  if (has("stream") && has("output-schema")) {
    return invalid("--stream cannot be combined with --output-schema: the answer is written when it fits")
  }
  if (has("api-key") && !has("model") && !has("provider")) {
    return invalid("--api-key needs --model or --provider, to say whose key it is")
  }
  if (has("tools") && (has("no-tools") || has("no-builtin-tools"))) {
    return invalid("--tools cannot be combined with --no-tools or --no-builtin-tools")
  }
  const named = ["session", "continue", "resume", "fork", "session-id"].filter(has)
  if (named.length > 1) return invalid(`--${named[0]} and --${named[1]} name different sessions`)
  if (named.length > 0 && has("no-session")) {
    return invalid(`--${named[0]} cannot be combined with --no-session: there is nothing to open`)
  }
  return Effect.void
}

/** Characters that are safe in a file name. */
const isSessionId = (id: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)

const unnamed = (mode: Mode.Mode) =>
  mode === "rpc"
    ? "--resume needs the beginning of a session's id: in rpc mode nobody can pick"
    : "--resume needs the number of a session, or the beginning of its id: `heddle sessions` lists them"

const sessionOptions = Effect.fnUntraced(function* (one: (name: string) => string | undefined, mode: Mode.Mode) {
  const [resume, sessionId] = [one("resume"), one("session-id")]
  if (resume === "" && mode !== "interactive") return yield* invalid(unnamed(mode))
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    return yield* invalid(`--session-id: letters, digits, ".", "_" and "-" only; got "${sessionId}"`)
  }
  for (const name of ["session", "fork", "session-dir"]) {
    if (one(name) === "") return yield* invalid(`--${name} needs a value`)
  }
  const name = one("name")
  if (name !== undefined && Text.oneLine(name) === "") return yield* invalid("--name needs a name that can be seen")
  return {
    inMemory: one("no-session") !== undefined,
    continue: one("continue") !== undefined,
    ...defined({
      session: one("session") ?? (resume === "" ? undefined : resume),
      fork: one("fork"),
      sessionId,
      sessionDir: one("session-dir"),
      name
    })
  } satisfies SessionOptions
})

/** Limits of the command line; undefined without any. */
const limitsOf = Effect.fnUntraced(function* (one: (name: string) => string | undefined) {
  const amount = Effect.fnUntraced(function* (name: string, isWhole: boolean) {
    const given = one(name)
    if (given === undefined) return null
    const value = given.trim() === "" ? Number.NaN : Number(given)
    if (value > 0 && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value))) return value
    return yield* invalid(`--${name} must be a ${isWhole ? "whole " : ""}number above 0; got "${given}"`)
  })
  const [maxCostUsd, maxTotalTokens, maxTurns] = [
    yield* amount("max-cost", false),
    yield* amount("max-tokens", true),
    yield* amount("max-turns", true)
  ]
  const limits = change({}, { maxCostUsd, maxTotalTokens, maxTurns })
  return Object.keys(limits).length === 0 ? undefined : limits
})

export const read = Effect.fnUntraced(function* (given: Given, choice: Mode.Choice) {
  const one = (name: string) => given.values.get(name)?.[0]
  const has = (name: string) => given.values.has(name)
  yield* checkTogether(has)
  const [key, level, tools] = [one("api-key"), one("thinking"), one("tools")]
  const dialect = yield* dialectOf(given)
  return {
    ...choice,
    words: Mode.wordsOf(given),
    stream: has("stream"),
    ...defined({
      outputSchema: one("output-schema"),
      provider: one("provider"),
      model: one("model"),
      apiKey: key === undefined ? undefined : Redacted.make(key),
      thinkingLevel: isThinkingLevel(level) ? level : undefined,
      systemPrompt: one("system-prompt"),
      appendSystemPrompt: one("append-system-prompt")
    }),
    skillPaths: given.values.get("skill") ?? [],
    noSkills: has("no-skills"),
    templatePaths: given.values.get("prompt-template") ?? [],
    noPromptTemplates: has("no-prompt-templates"),
    noContextFiles: has("no-context-files"),
    ...defined({ cwd: one("cwd"), tools: tools === undefined ? undefined : list(tools) }),
    excludedTools: list(one("exclude-tools") ?? ""),
    noTools: has("no-tools"),
    noBuiltinTools: has("no-builtin-tools"),
    models: list(one("models") ?? ""),
    overrides: yield* readOverrides(given),
    above: ApprovalOptions.sources(given),
    ...defined({ initial: ApprovalOptions.initial(choice.mode, given), preset: ApprovalOptions.preset(given) }),
    rpcReset: choice.mode === "rpc" && !has("inherit-settings"),
    ...trustOf(has),
    extensionPaths: given.values.get("extension") ?? [],
    requiredPaths: given.values.get("require-extension") ?? [],
    noExtensions: has("no-extensions"),
    noRules: has("no-rules"),
    updates: (yield* chosen(one("rpc-updates"), "HEDDLE_RPC_UPDATES", updateForms)) ?? "full",
    ...defined({
      dialect,
      agentEnd: agentEnds.find((end) => end === one("agent-end")),
      fixedLimits: yield* limitsOf(one)
    }),
    drain: has("drain"),
    ...defined({ unknownFlags: given.unknown }),
    ui: !has("no-ui"),
    emitTitle: isYes(yield* Environment.variable("PI_RPC_EMIT_TITLE")),
    session: yield* sessionOptions(one, choice.mode),
    picksSession: one("resume") === ""
  } satisfies StartOptions
})
