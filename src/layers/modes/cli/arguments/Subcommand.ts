/** The command line of a subcommand, such as `heddle config [key]`: words and options in any order. Pure. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Given, optionTable } from "./OptionTable.ts"
import * as QuickParse from "./QuickParse.ts"

export interface Subcommand {
  readonly name: string
  /** What follows the name in the help. */
  readonly form?: string
  readonly help: string
  /** The options that it takes. */
  readonly options: ReadonlyArray<string>
  /** How many words may follow its name, and what they are called where there are too many. Without it, it checks them itself. */
  readonly words?: { readonly most: number; readonly called: string }
  /** Words that shells offer behind the name. */
  readonly completes?: ReadonlyArray<string>
}

const takesValue = new Set(optionTable.filter(({ kind }) => kind !== "flag").map(({ name }) => `--${name}`))

/** Words that are no option's value, options with their values, and what follows `--`. `args` are normalized. */
export const split = (args: ReadonlyArray<string>) => {
  const words: Array<string> = []
  const options: Array<string> = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") return { words, options, literal: args.slice(at + 1) }
    if (!arg.startsWith("-")) words.push(arg)
    else options.push(...args.slice(at, (at += takesValue.has(arg) ? 1 : 0) + 1))
  }
  return { words, options, literal: [] }
}

/** The messages are the words behind the name of the subcommand. */
export const parse = ({ name, options: accepted, words: limit }: Subcommand, args: ReadonlyArray<string>) => {
  const { literal, options, words } = split(args)
  const messages = [...words.slice(1), ...literal]
  const given = QuickParse.parse(options)
  if (Option.isNone(given) || given.value.unknown !== undefined) {
    return Either.left(
      `heddle ${name}: an unknown option, an option without its value, or one twice (see heddle help ${name})`
    )
  }
  const other = [...given.value.values.keys()].find((option) => !accepted.includes(option))
  if (other !== undefined) return Either.left(`heddle ${name} does not take --${other} (see heddle help ${name})`)
  if (limit !== undefined && messages.length > limit.most) {
    return Either.left(`heddle ${name} takes ${limit.called}; got "${messages[limit.most]}" too`)
  }
  const parsed: Given = { values: given.value.values, messages }
  return Either.right(parsed)
}
