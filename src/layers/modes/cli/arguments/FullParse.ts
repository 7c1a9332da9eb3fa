/** Command lines with mistakes, and what QuickParse leaves alone, such as `--drain=true`. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Text from "../../../../domain/Text.ts"
import { type Given, invalid, type OptionEntry, optionTable } from "./OptionTable.ts"

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

/** Texts and flags ask the platform for nothing. */
const platform = Layer.mergeAll(Layer.mock(Terminal.Terminal, {}), FileSystem.layerNoop({}), Path.layer)

/** The parser leaves unknown options among the words. */
const checkWords = ({ messages, values }: Given) => {
  const option = messages.find((word) => word.startsWith("-"))
  if (option === undefined) return Effect.void
  if (values.has(option.replace(/^--|=.*$/gs, ""))) return invalid(`${option.replace(/=.*$/s, "")} is given twice`)
  return invalid(`unknown option, or an option without its value: ${option} (see --help)`)
}

export const parse = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [before, behind] = args.includes("--")
    ? [args.slice(0, args.indexOf("--")), args.slice(args.indexOf("--") + 1)]
    : [args, []]
  const [, words, options] = yield* Options.processCommandLine(
    Options.all(optionTable.map(toOption)),
    before,
    CliConfig.defaultConfig
  ).pipe(
    Effect.mapError(({ error }) => invalid(`${Text.printable(HelpDoc.toAnsiText(error)).trim()} (see --help)`)),
    Effect.provide(platform)
  )
  const values = new Map(options.filter(([, given]) => given.length > 0))
  const given: Given = { values, messages: [...words, ...behind] }
  yield* checkWords(given)
  return given
})
