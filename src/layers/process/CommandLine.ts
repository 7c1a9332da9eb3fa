/** Reads the command line and starts what it asks for. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Process from "../platform/processes/Process.ts"
import * as Arguments from "./arguments/Arguments.ts"
import * as ConfigArguments from "./arguments/ConfigArguments.ts"
import { authHelp, configHelp, frontDoor, helpText } from "./Help.ts"
import { type Given, invalid, listModels, type StartupFailure } from "./arguments/OptionTable.ts"
import * as QuickParse from "./arguments/QuickParse.ts"
import * as StartOptions from "./arguments/StartOptions.ts"

export type { StartOptions } from "./arguments/StartOptions.ts"

/** The parser takes unknown options for words, so words are checked here. */
const checkWords = ({ messages, values }: Given) => {
  const option = messages.find((word) => word.startsWith("-"))
  if (option === undefined) return Effect.void
  if (values.has(option.replace(/^--|=.*$/gs, ""))) return invalid(`${option.replace(/=.*$/s, "")} is given twice`)
  return invalid(`unknown option, or an option without its value: ${option} (see --help)`)
}

/** Only a session loads extensions, which may know other options. */
const checkForeign = ({ unknown = new Map(), values }: Given) => {
  const [name] = unknown.keys()
  const mode = values.get("mode")?.[0]
  const isSession = (mode === "rpc" || mode === "rpc-ui") && !values.has("export") && !values.has(listModels.name)
  if (name === undefined || isSession) return Effect.void
  return invalid(`unknown option, or an option without its value: --${name} (see --help)`)
}

const noTask = "heddle cannot take a task on the command line yet."

const checkMode = ({ messages, values }: Given) => {
  const mode = values.get("mode")?.[0]
  const [word] = messages
  if (mode === undefined || mode === "text") {
    const hasTask = word !== undefined || values.has("print") || mode === "text"
    return invalid(frontDoor(hasTask ? noTask : "heddle was not told what to do."))
  }
  if (mode === "json") return invalid("--mode json is not there yet; start with --mode rpc")
  if (messages.some((message) => message.startsWith("@"))) {
    return invalid("@file arguments are not supported in RPC mode")
  }
  return word === undefined
    ? Effect.void
    : invalid(`messages on the command line are not supported in RPC mode: ${word}`)
}

const handle = <E, R>(start: (options: StartOptions.StartOptions) => Effect.Effect<void, E, R>) =>
  Effect.fnUntraced(function* (given: Given) {
    const one = (name: string) => given.values.get(name)?.[0]
    const has = (name: string) => given.values.has(name)
    yield* StartOptions.checkChoices(given)
    yield* StartOptions.checkTrust(has)
    const [exported, search] = [one("export"), one(listModels.name)]
    const place = { ...StartOptions.trustOf(has), ...StartOptions.present("cwd", one("cwd")) }
    yield* checkForeign(given)
    if (exported !== undefined) {
      const ExportSession = yield* Effect.promise(() => import("./commands/ExportSession.ts"))
      const overrides = yield* StartOptions.readOverrides(given)
      const folder = StartOptions.present("sessionDir", one("session-dir"))
      return yield* ExportSession.run({ session: exported, words: given.messages, overrides, ...place, ...folder })
    }
    yield* checkWords(given)
    if (search !== undefined) {
      const [more] = given.messages
      if (more !== undefined) return yield* invalid(`--list-models takes one search; got "${more}" too`)
      const ListModels = yield* Effect.promise(() => import("./commands/ListModels.ts"))
      return yield* ListModels.run({
        search,
        json: has("json"),
        overrides: yield* StartOptions.readOverrides(given),
        ...place
      })
    }
    if (has("json")) return yield* invalid("--json belongs to --list-models and heddle config")
    yield* checkMode(given)
    yield* start(yield* StartOptions.read(given))
  })

const isForPrograms = (args: ReadonlyArray<string>): boolean => {
  const at = args.findIndex((arg) => arg === "--mode" || arg.startsWith("--mode="))
  const mode = args[at] === "--mode" ? args[at + 1] : args[at]?.slice("--mode=".length)
  return mode !== undefined && mode !== "text"
}

/** A failure in words, and in JSON where a program reads what the command line leads to. */
export const explain = (args: ReadonlyArray<string>, { code, message }: StartupFailure): string =>
  `Error: ${message}${isForPrograms(args) ? `\n${JSON.stringify({ error: { code, message } })}` : ""}`

/** Options that the full parser has by itself: a dialog that needs a terminal, and scripts that offer it. */
const refuseBuiltIn = (args: ReadonlyArray<string>) => {
  const option = args.find((arg) => /^--(?:completions|log-level|wizard)(?:=|$)/.test(arg))
  return option === undefined ? Effect.void : invalid(`unknown option: ${option} (see --help)`)
}

const hasHelp = (args: ReadonlyArray<string>) => args.some((arg) => arg === "--help" || arg === "-h")

const config = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const given = yield* Either.mapLeft(ConfigArguments.parse(args), invalid)
  yield* StartOptions.checkChoices(given)
  yield* StartOptions.checkTrust((name) => given.values.has(name))
  const ConfigCommand = yield* Effect.promise(() => import("./commands/ConfigCommand.ts"))
  yield* ConfigCommand.run(given)
})

/** For `heddle auth`, `heddle auth --help` and the like, and for `heddle help`. */
const helpFor = (args: ReadonlyArray<string>, version: string): string | undefined => {
  const [first, second] = args
  if (first === "auth") return second === undefined || hasHelp(args) ? authHelp : undefined
  if (first === ConfigArguments.subcommand && hasHelp(args)) return configHelp
  if (first === "help" && second === ConfigArguments.subcommand) return configHelp
  if (first === "help") return second === "auth" ? authHelp : helpText(version)
  return hasHelp(args) ? helpText(version) : undefined
}

/** `args` is everything after the program's name. */
export const run = Effect.fnUntraced(function* <E, R>(
  args: ReadonlyArray<string>,
  version: string,
  start: (options: StartOptions.StartOptions) => Effect.Effect<void, E, R>
) {
  if (args.some((arg) => arg === "--version" || arg === "-v")) {
    const how = args.includes("--verbose") ? `\n${yield* Process.build}` : ""
    return yield* Process.print(version + how)
  }
  const help = helpFor(args, version)
  if (help !== undefined) return yield* Process.print(help)
  const normal = Arguments.normalize(args)
  if (ConfigArguments.matches(normal)) return yield* config(normal)
  const plain = QuickParse.parse(normal)
  if (Option.isSome(plain)) return yield* handle(start)(plain.value)
  yield* refuseBuiltIn(normal)
  const FullParse = yield* Effect.promise(() => import("./arguments/FullParse.ts"))
  return yield* FullParse.run(normal, version, handle(start))
})
