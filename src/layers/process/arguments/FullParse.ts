/** The full parser: `auth`, command lines with mistakes, and scripts for the completion of shells. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Text from "../../../domain/Text.ts"
import * as PlainTerminal from "../../platform/stdio/PlainTerminal.ts"
import * as AuthCommand from "../commands/AuthCommand.ts"
import { type Given, invalid, type OptionEntry, optionTable, type StartupFailure } from "./OptionTable.ts"

export { scriptFor as completions } from "./Completions.ts"

/** Parses every kind of option to its name and values. */
const toOption = ({ help, kind, name, placeholder }: OptionEntry) => {
  const none: ReadonlyArray<string> = []
  const named = (values: ReadonlyArray<string>) => [name, values] as const
  if (kind === "flag") {
    return Options.boolean(name).pipe(
      Options.withDescription(help),
      Options.map((given) => named(given ? [""] : none))
    )
  }
  const text = Options.text(name).pipe(Options.withPseudoName(placeholder), Options.withDescription(help))
  return kind === "repeated"
    ? Options.map(Options.repeated(text), named)
    : Options.map(Options.optional(text), (value) => named(Option.toArray(value)))
}

const messages = Args.text({ name: "message" }).pipe(Args.repeated)

const plain = (error: ValidationError.ValidationError): string => Text.printable(HelpDoc.toAnsiText(error.error)).trim()

/** Runs `main` with the options, or the named subcommand. Mistakes become failures; nothing is printed. */
export const run = <E, R>(
  args: ReadonlyArray<string>,
  version: string,
  main: (given: Given) => Effect.Effect<void, E, R>
): Effect.Effect<void, E | StartupFailure, R> => {
  const options = Options.all(optionTable.map(toOption))
  const command = Command.make("heddle", { options, messages }, (given) =>
    main({ values: new Map(given.options.filter(([, values]) => values.length > 0)), messages: given.messages })
  ).pipe(Command.withSubcommands([AuthCommand.make()]))
  return Command.run(command, { name: "heddle", version })(["", "heddle", ...args]).pipe(
    Effect.catchIf(ValidationError.isValidationError, (error) => invalid(`${plain(error)} (see --help)`)),
    Effect.provide(PlainTerminal.layer)
  )
}
