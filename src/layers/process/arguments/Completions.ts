/**
 * Completion scripts, made by @effect/cli from the option table. Its scripts also offer what its own parser adds to every
 * command (`--wizard`, `--completions`, `--log-level`); heddle refuses those options, so they are taken out.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Subcommands from "../Subcommands.ts"
import { inEffect, invalid, type OptionEntry } from "./OptionTable.ts"

const name = "heddle"

/** Only options of one letter have a short name in the scripts: `-nt` would be completed as `--nt`. */
const alias = ({ short }: OptionEntry) => (short?.length === 2 ? short.slice(1) : undefined)

const toOption = (entry: OptionEntry) => {
  const { choices, help, kind, name, placeholder } = entry
  const letter = alias(entry)
  if (kind === "flag") {
    const flag = Options.boolean(name).pipe(Options.withDescription(help))
    return Options.map(letter === undefined ? flag : Options.withAlias(flag, letter), String)
  }
  const takesPath = /dir|file|path/.test(placeholder)
  const value =
    choices === undefined
      ? takesPath
        ? Options.file(name)
        : Options.map(Options.text(name), String)
      : Options.choice(name, choices)
  const described = Options.withDescription(value, help)
  return Options.map(Options.optional(letter === undefined ? described : Options.withAlias(described, letter)), String)
}

const subcommand = (name: string, description: string, words: ReadonlyArray<string> = []) => {
  const options = Subcommands.all.find((known) => known.name === name)?.options ?? []
  const own = Options.all(inEffect.filter((entry) => options.includes(entry.name)).map(toOption))
  const command = Command.make(name, { own }).pipe(Command.withDescription(description))
  const parts = words.map((word) => Command.make(word).pipe(Command.withDescription(`${name} ${word}`)))
  const [first, ...rest] = parts
  return first === undefined ? command : Command.withSubcommands(command, [first, ...rest])
}

const command = () =>
  Command.make(name, {
    options: Options.all(inEffect.map(toOption)),
    messages: Args.repeated(Args.file({ name: "message" }))
  }).pipe(
    Command.withSubcommands([
      subcommand("auth", "Keys of providers", ["set", "list", "remove"]),
      subcommand("config", "The settings in force"),
      subcommand("sessions", "List, search and resume sessions", ["resume"]),
      subcommand("doctor", "Check what heddle needs"),
      subcommand("completions", "A completion script", ["bash", "zsh", "fish"]),
      subcommand("help", "More about a command", ["auth", "config", "sessions", "doctor", "completions"])
    ])
  )

const foreign = ["completions", "log-level", "wizard"]

/** Words of bash's lists, and lines of zsh and fish. */
const isForeign = (text: string) =>
  foreign.some((option) => text === `--${option}` || new RegExp(`(?:-l |--)${option}(?![\\w-])`).test(text))

const withoutForeign = (line: string): string =>
  line.replace(/(?<=^\s*opts=")[^"]*/, (words) =>
    words
      .split(" ")
      .filter((word) => !foreign.includes(word.slice(2)))
      .join(" ")
  )

/** The library joins choices with commas, which bash takes for one word. */
const withChoices = (line: string): string =>
  line.replace(/(?<=compgen -W ")[^"$]*(?=")/, (choices) => choices.replaceAll(",", " "))

const takesText = new Set(
  inEffect.filter(({ kind }) => kind !== "flag").flatMap((entry) => [`--${entry.name}`, entry.short])
)

/** The library does not tell zsh that an option with a free text has a value. */
const withValue = (line: string): string =>
  line.replace(/^(\s*'(--?[\w-]+)\[.*\])(?=' \\$)/, (whole, option: string, name: string) =>
    takesText.has(name) ? `${option}:value: ` : whole
  )

const shells = {
  bash: () => Command.getBashCompletions(command(), name),
  zsh: () => Command.getZshCompletions(command(), name),
  fish: () => Command.getFishCompletions(command(), name)
}

const isShell = (shell: string): shell is keyof typeof shells => Object.hasOwn(shells, shell)

export const scriptFor = Effect.fnUntraced(function* (shell: string | undefined) {
  if (shell === undefined || !isShell(shell)) {
    return yield* invalid(`heddle completions needs the name of a shell: ${Object.keys(shells).join(", ")}`)
  }
  const lines = (yield* shells[shell]()).map((line) => withValue(withChoices(withoutForeign(line))))
  return lines.filter((line) => !isForeign(line)).join("\n")
})
