/** Reads the command line and starts what it asks for. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { defined } from "../../../domain/Values.ts"
import * as Process from "../../machine/processes/Process.ts"
import { nearest } from "../../workspace/settings/Nearest.ts"
import * as Arguments from "./arguments/Arguments.ts"
import * as Mode from "./arguments/Mode.ts"
import { type Given, invalid, listModels, type StartupFailure } from "./arguments/OptionTable.ts"
import * as QuickParse from "./arguments/QuickParse.ts"
import * as StartOptions from "./arguments/StartOptions.ts"
import * as Subcommand from "./arguments/Subcommand.ts"
import * as Subcommands from "./Subcommands.ts"

export type { StartOptions } from "./arguments/StartOptions.ts"

/** Loaded on demand: it lays out all its texts. */
const help = Effect.fnUntraced(function* (topic: string | undefined, version: string) {
  const Help = yield* Effect.promise(() => import("./help/Help.ts"))
  yield* Process.print(yield* Help.about(topic, version))
})

type Start<E, R> = (options: StartOptions.StartOptions) => Effect.Effect<void, E, R>

/** Only a session loads extensions, which may know other options. */
const checkForeign = ({ unknown = new Map(), values }: Given) => {
  const [name] = unknown.keys()
  if (name === undefined || !(values.has("export") || values.has(listModels.name))) return Effect.void
  return invalid(`unknown option, or an option without its value: --${name} (see --help)`)
}

/** `-r 3`: the session with this number in `heddle sessions`, and the folder that it belongs to. */
const resumed = Effect.fnUntraced(function* (options: StartOptions.StartOptions, number: number) {
  const SessionsCommand = yield* Effect.promise(() => import("./commands/SessionsCommand.ts"))
  const { cwd, file } = yield* SessionsCommand.numbered(number, options)
  return { ...options, cwd: options.cwd ?? cwd, session: { ...options.session, session: file } }
})

const handle = <E, R>(start: Start<E, R>) =>
  Effect.fnUntraced(function* (given: Given) {
    const one = (name: string) => given.values.get(name)?.[0]
    const has = (name: string) => given.values.has(name)
    yield* StartOptions.checkChoices(given)
    yield* StartOptions.checkTrust(has)
    const [exported, search] = [one("export"), one(listModels.name)]
    const trust = { ...StartOptions.trustOf(has), ...defined({ cwd: one("cwd") }) }
    yield* checkForeign(given)
    if (exported !== undefined) {
      const ExportSession = yield* Effect.promise(() => import("./commands/ExportSession.ts"))
      const overrides = yield* StartOptions.readOverrides(given)
      const folder = defined({ sessionDir: one("session-dir") })
      return yield* ExportSession.run({ session: exported, words: given.messages, overrides, ...trust, ...folder })
    }
    if (search !== undefined) {
      const [more] = given.messages
      if (more !== undefined) return yield* invalid(`--list-models takes one search; got "${more}" too`)
      const ListModels = yield* Effect.promise(() => import("./commands/ListModels.ts"))
      return yield* ListModels.run({
        search,
        json: has("json"),
        overrides: yield* StartOptions.readOverrides(given),
        ...trust
      })
    }
    if (has("json")) return yield* invalid("--json belongs to --list-models, config, sessions and doctor")
    const options = yield* StartOptions.read(given, yield* Mode.choose(given))
    const number = Mode.sessionNumber(options.mode, one("resume"))
    yield* start(number === undefined ? options : yield* resumed(options, number))
  })

const isForPrograms = (args: ReadonlyArray<string>): boolean => {
  const at = args.findIndex((arg) => arg === "--mode" || arg.startsWith("--mode="))
  const mode = args[at] === "--mode" ? args[at + 1] : args[at]?.slice("--mode=".length)
  return mode !== undefined && mode !== "text"
}

/** A failure in words, and in JSON where a program reads what the command line leads to. */
export const explain = (args: ReadonlyArray<string>, { code, message }: StartupFailure): string =>
  `Error: ${message}${isForPrograms(args) ? `\n${JSON.stringify({ error: { code, message } })}` : ""}`

const hasHelp = (args: ReadonlyArray<string>) => args.some((arg) => arg === "--help" || arg === "-h")

const parsed = Effect.fnUntraced(function* (subcommand: Subcommand.Subcommand, args: ReadonlyArray<string>) {
  const given = yield* Either.mapLeft(Subcommand.parse(subcommand, args), invalid)
  yield* StartOptions.checkChoices(given)
  yield* StartOptions.checkTrust((name) => given.values.has(name))
  return given
})

const subcommand = Effect.fnUntraced(function* (name: string, args: ReadonlyArray<string>, version: string) {
  switch (name) {
    case "auth": {
      const AuthCommand = yield* Effect.promise(() => import("./commands/AuthCommand.ts"))
      return yield* AuthCommand.run(yield* parsed(Subcommands.auth, args))
    }
    case "config": {
      const ConfigCommand = yield* Effect.promise(() => import("./commands/ConfigCommand.ts"))
      return yield* ConfigCommand.run(yield* parsed(Subcommands.config, args))
    }
    case "sessions": {
      const SessionsCommand = yield* Effect.promise(() => import("./commands/SessionsCommand.ts"))
      return yield* SessionsCommand.run(yield* parsed(Subcommands.sessions, args))
    }
    case "doctor": {
      const Doctor = yield* Effect.promise(() => import("./doctor/Doctor.ts"))
      return yield* Doctor.run(yield* parsed(Subcommands.doctor, args), version)
    }
    case "completions": {
      const given = yield* parsed(Subcommands.completions, args)
      const Completions = yield* Effect.promise(() => import("./commands/Completions.ts"))
      const script = Completions.script(given.messages[0])
      if (script !== undefined) return yield* Process.print(script)
      return yield* invalid(`heddle completions needs the name of a shell: ${Subcommands.shells.join(", ")}`)
    }
    default: {
      const [topic] = (yield* parsed(Subcommands.help, args)).messages
      return yield* help(topic, version)
    }
  }
})

/** `sessions resume 3 …` is `--resume 3 …`. */
const asResume = (args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const { literal, options, words } = Subcommand.split(args)
  const [first, second, number = "", ...message] = words
  if (first !== Subcommands.sessions.name || second !== "resume") return undefined
  return ["--resume", number, ...options, ...message, ...(literal.length === 0 ? [] : ["--", ...literal])]
}

const isExplicit = (option: string) => /^--(?:print|mode|output-schema)(?:=|$)/.test(option)

/** A typing mistake in the name of a subcommand would be sent to a model. */
const refuseNearCommand = ({ literal, options, words: [word = "", ...more] }: ReturnType<typeof Subcommand.split>) => {
  if (more.length > 0 || literal.length > 0 || options.some(isExplicit)) return Effect.void
  const names = Subcommands.all.map(({ name }) => name)
  const meant = (word.length > 2 && names.find((name) => name.startsWith(word))) || nearest(word, names)
  if (meant === undefined) return Effect.void
  return invalid(`${word} is not a command. Did you mean heddle ${meant}? To send it as a message: heddle -p ${word}`)
}

/** `args` is everything after the program's name. */
export const run = Effect.fnUntraced(function* <E, R>(
  args: ReadonlyArray<string>,
  version: string,
  start: Start<E, R>
) {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  if (options.some((arg) => arg === "--version" || arg === "-v")) {
    const how = options.includes("--verbose") ? `\n${yield* Process.build}` : ""
    return yield* Process.print(version + how)
  }
  const normal = Arguments.normalize(args)
  const parts = Subcommand.split(normal)
  const command = Subcommands.all.find(({ name }) => name === parts.words[0])
  if (hasHelp(options) || (command === Subcommands.auth && args.length === 1))
    return yield* help(command?.name, version)
  const resuming = asResume(normal)
  if (resuming === undefined && command !== undefined) return yield* subcommand(command.name, normal, version)
  if (resuming === undefined) yield* refuseNearCommand(parts)
  const line = resuming ?? normal
  const plain = QuickParse.parse(line)
  if (Option.isSome(plain)) return yield* handle(start)(plain.value)
  const FullParse = yield* Effect.promise(() => import("./arguments/FullParse.ts"))
  yield* Effect.flatMap(FullParse.parse(line), handle(start))
})
