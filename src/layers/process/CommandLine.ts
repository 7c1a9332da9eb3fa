/** The options of the command line (protocol.md 1.1). An option is here when it has an effect or truly needs none. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { type ThinkingLevel, thinkingLevels } from "../../domain/Model.ts"
import * as Environment from "../platform/Environment.ts"
import * as FileSettings from "../settings/FileSettings.ts"
import * as AuthCommand from "./AuthCommand.ts"
import { invalid } from "./StartupFailure.ts"

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
  readonly updates: "full" | "delta"
  readonly drain: boolean
}

const text = (name: string, placeholder: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName(placeholder), Options.withDescription(description), Options.optional)
const flag = (name: string, description: string) => Options.boolean(name).pipe(Options.withDescription(description))

const options = {
  mode: Options.choice("mode", ["text", "json", "rpc"]).pipe(
    Options.withDescription(
      "How to talk: rpc speaks newline-delimited JSON on stdin and stdout (text and json are not there yet)"
    ),
    Options.withDefault("text")
  ),
  provider: text("provider", "id", "Provider to take the model from"),
  model: text(
    "model",
    "pattern",
    "Model: exact id, provider/id, glob or part of a name, with :<thinking> behind it if wanted"
  ),
  apiKey: Options.redacted("api-key").pipe(
    Options.withDescription("Key for the provider of the chosen model; other programs on this machine can see it"),
    Options.optional
  ),
  listModels: text("list-models", "search", "List the models that are known, or those that match, and exit"),
  json: flag("json", "List the models as JSON"),
  models: text("models", "a,b,...", "Patterns of the models that cycle_model goes through"),
  thinking: Options.choice("thinking", thinkingLevels).pipe(
    Options.withDescription("How hard the model thinks at first, clamped to what it supports"),
    Options.optional
  ),
  systemPrompt: text("system-prompt", "text", "Replaces the built-in system prompt"),
  appendSystemPrompt: text("append-system-prompt", "text", "Text behind the system prompt"),
  cwd: text("cwd", "dir", "Run as if started in this folder"),
  tools: text("tools", "a,b,...", "Offer only these built-in tools to the model (host tools stay)"),
  noTools: flag("no-tools", "Offer no tools at all"),
  noBuiltinTools: flag("no-builtin-tools", "Offer only the tools of the host"),
  set: Options.text("set").pipe(
    Options.withPseudoName("key=json"),
    Options.withDescription("Override a setting; may be given several times"),
    Options.repeated
  ),
  updates: Options.choice("rpc-updates", ["full", "delta"]).pipe(
    Options.withDescription("Form of message_update: full repeats the message (paced), delta sends increments only"),
    Options.withDefault("full")
  ),
  drain: flag("drain", "When stdin closes, let the active run finish instead of aborting it"),
  noSession: flag(
    "no-session",
    "Keep the session in memory (sessions are not written to disk yet, so this is always so)"
  ),
  noTitle: flag("no-title", "Accepted for hosts that pass it: titles are never made in rpc mode"),
  offline: flag("offline", "No network access at start-up: no server is asked for its models"),
  verbose: flag("verbose", "Log more on stderr")
}

const messages = Args.text({ name: "message" }).pipe(Args.repeated)

/** Positional text swallows what the parser does not know, so it is looked at again here. */
const checkMessages = (found: ReadonlyArray<string>) => {
  const option = found.find((message) => message.startsWith("-"))
  if (option !== undefined) return invalid(`unknown option, or an option without its value: ${option} (see --help)`)
  if (found.some((message) => message.startsWith("@"))) {
    return invalid("Error: @file arguments are not supported in RPC mode")
  }
  if (found.length > 0) return invalid(`messages on the command line are not supported in RPC mode: ${found[0]}`)
  return Effect.void
}

const list = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const present = <K extends string, A>(key: K, value: Option.Option<A>): { readonly [P in K]?: A } | {} =>
  Option.match(value, { onNone: () => ({}), onSome: (some) => ({ [key]: some }) })

const readOverrides = Effect.fnUntraced(function* (assignments: ReadonlyArray<string>) {
  const overrides: Record<string, unknown> = {}
  for (const assignment of assignments) {
    const [key, value] = yield* Either.mapLeft(FileSettings.parseOverride(assignment), invalid)
    overrides[key] = value
  }
  return overrides
})

const listModels = Effect.fnUntraced(function* (options: {
  readonly search: string
  readonly json: boolean
  readonly overrides: Readonly<Record<string, unknown>>
}) {
  const ListModels = yield* Effect.promise(() => import("./ListModels.ts"))
  yield* ListModels.run(options)
})

/** `start` is called with what was asked for; `--help` and `--version` never get that far. */
const makeMain = <E, R>(start: (options: StartOptions) => Effect.Effect<void, E, R>) =>
  Command.make(
    "heddle",
    { ...options, messages },
    Effect.fnUntraced(function* (given) {
      yield* checkMessages(given.messages)
      const isOffline = given.offline || Option.isSome(yield* Environment.variable("PI_OFFLINE"))
      const overrides = { ...(yield* readOverrides(given.set)), ...(isOffline ? { "models.discover": [] } : {}) }
      const { json } = given
      if (Option.isSome(given.listModels)) return yield* listModels({ search: given.listModels.value, json, overrides })
      if (json) return yield* invalid("--json belongs to --list-models")
      if (Option.isSome(given.apiKey) && Option.isNone(Option.orElse(given.model, () => given.provider))) {
        return yield* invalid("--api-key needs --model or --provider, to say whose key it is")
      }
      if (given.mode !== "rpc") {
        return yield* invalid(`--mode ${given.mode} is not there yet; start with --mode rpc`)
      }
      if (Option.isSome(given.tools) && (given.noTools || given.noBuiltinTools)) {
        return yield* invalid("--tools cannot be combined with --no-tools or --no-builtin-tools")
      }
      yield* start({
        ...present("provider", given.provider),
        ...present("model", given.model),
        ...present("apiKey", given.apiKey),
        ...present("thinkingLevel", given.thinking),
        ...present("systemPrompt", given.systemPrompt),
        ...present("appendSystemPrompt", given.appendSystemPrompt),
        ...present("cwd", given.cwd),
        ...present("tools", Option.map(given.tools, list)),
        noTools: given.noTools,
        noBuiltinTools: given.noBuiltinTools,
        models: Option.match(given.models, {
          onNone: () => [],
          onSome: (list) => list.split(",").map((s) => s.trim())
        }),
        overrides,
        updates: given.updates,
        drain: given.drain
      })
    })
  ).pipe(
    Command.withDescription(
      "A coding agent engine for editors, bots and services. Hosts start it with --mode rpc; docs/hosts.md says how to talk to it."
    )
  )

/** Words that need the whole command: without them the 5 ms are saved that the subcommands take. */
const wholeCommand: ReadonlySet<string> = new Set(["auth", "-h", "--help", "--completions", "--wizard"])

/** Parses and runs `args`, which begin with the two words that started the program. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  version: string,
  start: (options: StartOptions) => Effect.Effect<void, E, R>
) => {
  const program = { name: "heddle", version }
  const main = makeMain(start)
  return args.some((arg) => wholeCommand.has(arg))
    ? Command.run(Command.withSubcommands(main, [AuthCommand.make()]), program)(args)
    : Command.run(main, program)(args)
}
