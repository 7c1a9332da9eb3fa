/** The command line of `heddle config [key]`: words and options in any order. Pure. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Given, optionTable } from "./OptionTable.ts"
import * as QuickParse from "./QuickParse.ts"

export const subcommand = "config"

/** The options that change settings, or how they are shown. */
const accepted = new Set([
  "cwd",
  "set",
  "approve",
  "no-approve",
  "inherit-settings",
  "json",
  "dialect",
  "offline",
  "session-dir",
  "models",
  "thinking",
  "verbose"
])

const takesValue = new Set(optionTable.filter(({ kind }) => kind !== "flag").map(({ name }) => `--${name}`))

const split = (args: ReadonlyArray<string>) => {
  const words: Array<string> = []
  const options: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (!arg.startsWith("-")) words.push(arg)
    else options.push(...args.slice(at, (at += takesValue.has(arg) ? 1 : 0) + 1))
  }
  return { words, options }
}

/** Whether the first word that is no option's value is `config`. `args` are normalized. */
export const matches = (args: ReadonlyArray<string>): boolean =>
  args.includes(subcommand) && split(args).words[0] === subcommand

/** The messages are the words behind `config`: at most one, the setting. */
export const parse = (args: ReadonlyArray<string>): Either.Either<Given, string> => {
  const { options, words } = split(args)
  const [, ...messages] = words
  const given = QuickParse.parse(options)
  if (Option.isNone(given) || given.value.unknown !== undefined) {
    return Either.left(`heddle config: an unknown option, an option without its value, or one twice (see --help)`)
  }
  const other = [...given.value.values.keys()].find((name) => !accepted.has(name))
  if (other !== undefined) return Either.left(`heddle config does not take --${other} (see heddle config --help)`)
  if (messages.length > 1) return Either.left(`heddle config takes one setting; got "${messages[1]}" too`)
  return Either.right({ values: given.value.values, messages })
}
