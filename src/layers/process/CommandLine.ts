/** Reads the command line and starts what it asks for. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isThinkingLevel, type ThinkingLevel } from "../../domain/model/Model.ts"
import type { SessionOptions } from "../AgentLive.ts"
import * as Environment from "../platform/processes/Environment.ts"
import * as Process from "../platform/processes/Process.ts"
import * as FileSettings from "../settings/FileSettings.ts"
import * as Arguments from "./Arguments.ts"
import { type Given, helpText, invalid, listModels, optionTable } from "./OptionTable.ts"
import * as QuickParse from "./QuickParse.ts"

export interface StartOptions {
  readonly provider?: string
  readonly model?: string
  readonly apiKey?: Redacted.Redacted
  readonly models: ReadonlyArray<string>
  readonly thinkingLevel?: ThinkingLevel
  readonly systemPrompt?: string
  readonly appendSystemPrompt?: string
  readonly cwd?: string
  readonly tools?: ReadonlyArray<string>
  readonly noTools: boolean
  readonly noBuiltinTools: boolean
  readonly overrides: Readonly<Record<string, unknown>>
  readonly trusted: boolean
  readonly updates: "full" | "delta"
  readonly drain: boolean
  readonly session: SessionOptions
}

/** The parser takes unknown options for messages, so messages are checked here. */
const checkMessages = (found: ReadonlyArray<string>) => {
  const option = found.find((message) => message.startsWith("-"))
  if (option !== undefined) return invalid(`unknown option, or an option without its value: ${option} (see --help)`)
  if (found.some((message) => message.startsWith("@"))) {
    return invalid("@file arguments are not supported in RPC mode")
  }
  if (found.length > 0) return invalid(`messages on the command line are not supported in RPC mode: ${found[0]}`)
  return Effect.void
}

const checkChoices = (given: Given) => {
  for (const { choices, name } of optionTable) {
    const wrong = choices === undefined ? undefined : given.values.get(name)?.find((value) => !choices.includes(value))
    if (wrong !== undefined) return invalid(`--${name} must be one of ${choices?.join(", ")}; got "${wrong}"`)
  }
  return Effect.void
}

const list = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const readOverrides = Effect.fnUntraced(function* (assignments: ReadonlyArray<string>, isOffline: boolean) {
  const overrides: Record<string, unknown> = {}
  for (const assignment of assignments) {
    const [key, value] = yield* Either.mapLeft(FileSettings.parseOverride(assignment), invalid)
    overrides[key] = value
  }
  return { ...overrides, ...(isOffline ? { "models.discover": [] } : {}) }
})

const present = <K extends string, A>(key: K, value: A | undefined): { readonly [P in K]?: A } | {} =>
  value === undefined ? {} : { [key]: value }

const checkTogether = (has: (name: string) => boolean, mode: string) => {
  if (has("json")) return invalid("--json belongs to --list-models")
  if (has("api-key") && !has("model") && !has("provider")) {
    return invalid("--api-key needs --model or --provider, to say whose key it is")
  }
  if (has("tools") && (has("no-tools") || has("no-builtin-tools"))) {
    return invalid("--tools cannot be combined with --no-tools or --no-builtin-tools")
  }
  const chosen = ["session", "continue", "resume", "fork", "session-id"].filter(has)
  if (chosen.length > 1) return invalid(`--${chosen[0]} and --${chosen[1]} name different sessions`)
  if (chosen.length > 0 && has("no-session")) {
    return invalid(`--${chosen[0]} cannot be combined with --no-session: there is nothing to open`)
  }
  return mode === "rpc" ? Effect.void : invalid(`--mode ${mode} is not there yet; start with --mode rpc`)
}

/** Characters that are safe in a file name. */
const isSessionId = (id: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)

const sessionOptions = Effect.fnUntraced(function* (one: (name: string) => string | undefined) {
  const [resume, sessionId] = [one("resume"), one("session-id")]
  if (resume === "")
    return yield* invalid("--resume needs the beginning of a session's id: in rpc mode nobody can pick")
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    return yield* invalid(`--session-id: letters, digits, ".", "_" and "-" only; got "${sessionId}"`)
  }
  for (const name of ["session", "fork", "session-dir"]) {
    if (one(name) === "") return yield* invalid(`--${name} needs a value`)
  }
  const options: SessionOptions = {
    inMemory: one("no-session") !== undefined,
    continue: one("continue") !== undefined,
    ...present("session", one("session") ?? resume),
    ...present("fork", one("fork")),
    ...present("sessionId", sessionId),
    ...present("sessionDir", one("session-dir")),
    ...present("name", one("name"))
  }
  return options
})

const handle = <E, R>(start: (options: StartOptions) => Effect.Effect<void, E, R>) =>
  Effect.fnUntraced(function* (given: Given) {
    const one = (name: string) => given.values.get(name)?.[0]
    const has = (name: string) => given.values.has(name)
    yield* checkChoices(given)
    if (has("approve") && has("no-approve")) return yield* invalid("--approve and --no-approve contradict each other")
    const trusted = has("approve")
    const isOffline = has("offline") || Option.isSome(yield* Environment.variable("PI_OFFLINE"))
    const overrides = yield* readOverrides(given.values.get("set") ?? [], isOffline)
    const exported = one("export")
    if (exported !== undefined) {
      const ExportSession = yield* Effect.promise(() => import("./ExportSession.ts"))
      const place = { ...present("cwd", one("cwd")), ...present("sessionDir", one("session-dir")) }
      return yield* ExportSession.run({ session: exported, words: given.messages, overrides, trusted, ...place })
    }
    yield* checkMessages(given.messages)
    const search = one(listModels.name)
    if (search !== undefined) {
      const ListModels = yield* Effect.promise(() => import("./ListModels.ts"))
      return yield* ListModels.run({ search, json: has("json"), overrides, trusted })
    }
    yield* checkTogether(has, one("mode") ?? "text")
    const [key, level, tools] = [one("api-key"), one("thinking"), one("tools")]
    yield* start({
      ...present("provider", one("provider")),
      ...present("model", one("model")),
      ...present("apiKey", key === undefined ? undefined : Redacted.make(key)),
      ...present("thinkingLevel", isThinkingLevel(level) ? level : undefined),
      ...present("systemPrompt", one("system-prompt")),
      ...present("appendSystemPrompt", one("append-system-prompt")),
      ...present("cwd", one("cwd")),
      ...present("tools", tools === undefined ? undefined : list(tools)),
      noTools: has("no-tools"),
      noBuiltinTools: has("no-builtin-tools"),
      models: list(one("models") ?? ""),
      overrides,
      trusted,
      updates: one("rpc-updates") === "delta" ? "delta" : "full",
      drain: has("drain"),
      session: yield* sessionOptions(one)
    })
  })

/** `args` is everything after the program's name. */
export const run = Effect.fnUntraced(function* <E, R>(
  args: ReadonlyArray<string>,
  version: string,
  start: (options: StartOptions) => Effect.Effect<void, E, R>
) {
  const isSubcommand = args[0] === "auth"
  if (!isSubcommand && args.some((arg) => arg === "--version" || arg === "-v")) return yield* Process.print(version)
  if (!isSubcommand && args.some((arg) => arg === "--help" || arg === "-h")) {
    return yield* Process.print(helpText(version))
  }
  const normal = Arguments.normalize(args)
  const plain = QuickParse.parse(normal)
  if (Option.isSome(plain)) return yield* handle(start)(plain.value)
  const FullParse = yield* Effect.promise(() => import("./FullParse.ts"))
  return yield* FullParse.run(normal, version, handle(start))
})
