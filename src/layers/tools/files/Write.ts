/** The tool `write`: a whole file at once, with the folders it needs. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ToolOutput } from "../../../domain/conversation/Message.ts"
import { Files, type Target } from "../../../services/machine/Files.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as Changes from "../edit/Changes.ts"
import * as TextFile from "../edit/TextFile.ts"
import * as FileFailures from "./FileFailures.ts"
import type { FileLedger } from "../../../services/session/SessionFiles.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as Tool from "../Tool.ts"
import * as Written from "./Written.ts"

const parameters = Schema.Struct({
  path: Tool.required(
    Tool.NonEmptyText,
    "File to write: absolute, relative to the working directory, or beginning with ~."
  ),
  content: Tool.required(Schema.String, "Everything the file is to hold.")
})
type Args = typeof parameters.Type

/** None for what is there and is no text that `edit` would take: too long, binary, or not to be read. */
const changesOf = Effect.fnUntraced(function* ({ path, version }: Target, content: string) {
  const after = TextFile.toLineFeeds(content)
  if (version === undefined) return Changes.between("", after)
  const before = Either.flatMap(yield* Changes.readAll(path), TextFile.decode)
  return Either.isLeft(before) ? {} : Changes.between(before.right.text, after)
})

const plan = Effect.fnUntraced(function* (path: string, real: string, args: Args, ledger: FileLedger) {
  const files = yield* Files
  const target = yield* files.inspect(real)
  const created = target.version === undefined
  if (target.version !== undefined && ledger.isStale(real, target.version)) {
    return yield* new ToolFailure({ message: FileFailures.changedText(args.path) })
  }
  const bytes = new TextEncoder().encode(args.content)
  const output = Tool.textOutput(`Successfully wrote ${bytes.length} bytes to ${args.path}`, {
    path,
    bytes: bytes.length,
    created,
    ...(yield* Effect.orElseSucceed(changesOf(target, args.content), () => ({})))
  })
  return { target, bytes, output, needsParents: created }
})

export const make = (options: {
  readonly cwd: string
  readonly ledger: FileLedger
  readonly machine: Context.Context<Files>
}) => {
  const { ledger, machine } = options
  const writer = Written.make("write", options)
  const planOf =
    (args: Args, path = LocalPaths.ofArgument(args.path, options)) =>
    (real: string) =>
      plan(path, real, args, ledger)
  return Tool.makeWith(machine, {
    name: "write",
    description: [
      "Write a whole file: create it, with the directories above it, or replace everything it holds. The mode of an",
      "existing file stays, and a symbolic link is followed. Use edit for changes to a part of a file.",
      "Refused when the file has changed since you last read or wrote it: read it again then."
    ].join(" "),
    parameters,
    concurrency: "exclusive",
    preview: (args, toolCallId) => writer.preview(args.path, planOf(args), toolCallId),
    run: (args, context): Effect.Effect<ToolOutput, ToolFailure, Files> =>
      writer.write(args.path, planOf(args), context)
  })
}
