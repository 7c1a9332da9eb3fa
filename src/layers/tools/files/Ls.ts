/** The tool `ls`: the entries of a folder. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Entry, Files } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as FileFailures from "./FileFailures.ts"
import * as Tool from "../Tool.ts"
import * as Truncate from "./Truncate.ts"

const defaultLimit = 500

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const sorted = (entries: ReadonlyArray<Entry>) =>
  entries
    .map((entry) => ({ ...entry, key: entry.name.toLowerCase() }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.name, b.name))

const toLine = Effect.fnUntraced(function* (folder: string, { kind, name }: Entry) {
  const { isDirectory } = yield* Files
  const isFolder = kind === "link" ? yield* isDirectory(LocalPaths.join(folder, name)) : kind === "directory"
  return isFolder ? `${name}/` : name
})

const notice = (cut: Truncate.TruncationResult, limit: number, count: number): string => {
  if (cut.truncated) {
    const limitText = cut.truncatedBy === "lines" ? `${cut.maxLines} lines` : Truncate.formatBytes(cut.maxBytes)
    return `\n[Showing ${cut.outputLines} of ${count} entries: ${limitText} limit reached. List a subfolder for less.]`
  }
  return count > limit ? `\n\n[${limit} entries limit reached. Use limit=${limit * 2} for more.]` : ""
}

/** The entries of a folder as the model reads them, one a line. */
export const listing = Effect.fnUntraced(function* (path: string, limit: number = defaultLimit) {
  const files = yield* Files
  const entries = yield* files.entries(path)
  if (entries.length === 0) return Tool.textOutput("(empty directory)")
  const lines = yield* Effect.forEach(sorted(entries).slice(0, limit), (entry) => toLine(path, entry), {
    concurrency: 16
  })
  const cut = Truncate.truncateHead(lines.join("\n"))
  return Tool.textOutput(cut.content + notice(cut, limit, entries.length), {
    ...(cut.truncated ? { truncation: Truncate.toDetails(cut) } : {}),
    ...(entries.length > limit ? { entryLimitReached: limit } : {})
  })
})

export const make = (options: { readonly cwd: string; readonly machine: Context.Context<Files> }) =>
  Tool.makeWith(options.machine, {
    name: "ls",
    description: [
      "List what a directory holds: one name a line, sorted without regard to case, `/` after directories, dotfiles included.",
      `Shows at most ${defaultLimit} entries unless limit says otherwise, and never more than 2000 lines or 50 KiB.`,
      "Does not go into subdirectories. Use it to get to know the layout of a project or to check that a path exists."
    ].join(" "),
    parameters: Schema.Struct({
      path: Tool.optional(
        Tool.NonEmptyText,
        "Directory to list: absolute, relative to the working directory, or beginning with ~. Default: the working directory."
      ),
      limit: Tool.optional(Tool.PositiveInt, `Largest number of entries to show. Default: ${defaultLimit}.`)
    }),
    run: ({ limit, path = "." }) =>
      Effect.catchTag(listing(LocalPaths.ofArgument(path, options), limit), "FileError", FileFailures.fromFileError)
  })
