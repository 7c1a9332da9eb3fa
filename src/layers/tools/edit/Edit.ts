/** The tool `edit`: replaces pieces of a text file and leaves every other byte of it alone. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { Files } from "../../../services/machine/Files.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as Changes from "./Changes.ts"
import * as Match from "./Match.ts"
import * as TextFile from "./TextFile.ts"
import * as FileFailures from "../files/FileFailures.ts"
import type { FileLedger } from "../../../services/session/SessionFiles.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as Tool from "../Tool.ts"
import * as Truncate from "../files/Truncate.ts"
import * as Written from "../files/Written.ts"

const parameters = Schema.Struct({
  path: Tool.required(
    Tool.NonEmptyText,
    "File to change: absolute, relative to the working directory, or beginning with ~."
  ),
  edits: Tool.required(
    Schema.Array(
      Schema.Struct({
        oldText: Tool.required(Tool.NonEmptyText, "Text to replace; it must be in the file exactly once."),
        newText: Tool.required(Schema.String, "Text to put in its place; empty to delete.")
      })
    ).pipe(Schema.minItems(1)),
    "Replacements, all found in the file as it is now; they must not overlap."
  )
})
type Args = typeof parameters.Type

const spellings = [
  ["oldText", "newText"],
  ["old_text", "new_text"]
] as const

/** Accepts one replacement beside the path, too, in either spelling. */
const prepare = (args: JsonObject): JsonObject => {
  const beside = spellings.flatMap(([oldName, newName]) =>
    oldName in args || newName in args
      ? [
          {
            ...(oldName in args ? { oldText: args[oldName] } : {}),
            ...(newName in args ? { newText: args[newName] } : {})
          }
        ]
      : []
  )
  if (beside.length === 0) return args
  const { edits = [] } = args
  return Array.isArray(edits) ? { ...args, edits: [...edits, ...beside] } : args
}

const fail = (message: string) => new ToolFailure({ message })

const undecodable = {
  "utf-16": "it is UTF-16 text. Convert it with bash first",
  binary: "it is a binary file",
  not_utf8: "it is not UTF-8 text, and writing it back would damage it. Convert it with bash first"
} as const

const tooLong = (path: string, size: number) => {
  const limit = Truncate.formatBytes(Changes.maxBytes)
  return fail(`Cannot edit ${path}: it has ${Truncate.formatBytes(size)}, the limit is ${limit}. Use bash`)
}

/** The new content of the file and the result for the model. Writes nothing. */
const plan = Effect.fnUntraced(function* (path: string, bytes: Uint8Array, args: Args) {
  const file = yield* Either.mapLeft(TextFile.decode(bytes), (why) => fail(`Cannot edit ${path}: ${undecodable[why]}`))
  const replacements = yield* Either.mapLeft(Match.find(file.text, args.edits), (why) =>
    fail(`Cannot edit ${args.path}: ${why}`)
  )
  const raw = TextFile.apply(file, replacements)
  if (raw === file.raw) return yield* fail(`No change to ${args.path}: the new text is the same as the old text`)
  const output = Tool.textOutput(`Successfully replaced ${replacements.length} block(s) in ${args.path}.`, {
    ...Changes.between(file.text, TextFile.toLineFeeds(raw)),
    path
  })
  return { bytes: TextFile.encode(file.bom, raw), output }
})

const edit = Effect.fnUntraced(function* (path: string, real: string, args: Args, ledger: FileLedger) {
  const files = yield* Files
  const target = yield* files.inspect(real)
  const { version } = target
  if (version !== undefined && ledger.isStale(real, version)) return yield* fail(FileFailures.changedText(args.path))
  const before = yield* Either.mapLeft(yield* Changes.readAll(real), (size) => tooLong(real, size))
  const { bytes, output } = yield* plan(path, before, args)
  return { target, bytes, output }
})

export const make = (options: {
  readonly cwd: string
  readonly ledger: FileLedger
  readonly machine: Context.Context<Files>
}) => {
  const { ledger, machine } = options
  const writer = Written.make("edit", options)
  const planOf =
    (args: Args, path = LocalPaths.ofArgument(args.path, options)) =>
    (real: string) =>
      edit(path, real, args, ledger)
  return Tool.makeWith(machine, {
    name: "edit",
    description: [
      "Change a text file by replacing pieces of it. Every oldText must be in the file exactly once, so give as many",
      "lines as it takes to be unique, with their indentation, and no more. Several changes to one file belong into one call.",
      "Line endings, byte order mark and mode of the file stay; curly quotes, dashes and spaces at line ends may differ.",
      "Refused when the file has changed since you last read it: read it again then."
    ].join(" "),
    parameters,
    prepare,
    concurrency: "exclusive",
    preview: (args, toolCallId) => writer.preview(args.path, planOf(args), toolCallId),
    run: (args, context): Effect.Effect<ToolOutput, ToolFailure, Files> =>
      writer.write(args.path, planOf(args), context)
  })
}
