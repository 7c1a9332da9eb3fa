/** The tool `find`: files and folders by name, among those that version control would see. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Files } from "../../../services/machine/Files.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as FileFailures from "../files/FileFailures.ts"
import * as Glob from "./Glob.ts"
import * as Walk from "./Walk.ts"
import * as Tool from "../Tool.ts"
import * as Truncate from "../files/Truncate.ts"

const defaultLimit = 1000
const batchSize = 256
const maxMillis = 30_000

const parameters = Schema.Struct({
  pattern: Tool.required(
    Tool.NonEmptyText,
    "Glob: *.ts finds names in any directory, src/**/*.test.ts paths below the directory searched."
  ),
  path: Tool.optional(Tool.NonEmptyText, "Directory to search. Default: the working directory."),
  limit: Tool.optional(Tool.PositiveInt, `Largest number of results. Default: ${defaultLimit}.`)
})
type Args = typeof parameters.Type

const collect = Effect.fnUntraced(function* (root: string, pattern: string, most: number) {
  const deadline = (yield* Stopwatch.reading) + maxMillis
  const matches = Glob.matcher(pattern.replace(/(?<=.)\/$/, ""))
  const onlyFolders = pattern.endsWith("/")
  const walk = yield* Walk.make(root)
  const found: Array<Walk.Visited> = []
  while (found.length <= most) {
    if ((yield* Stopwatch.reading) > deadline) return { found, isPartial: true }
    const visited = yield* walk.next(batchSize)
    if (visited.length === 0) break
    for (const entry of visited) {
      const isCandidate = !onlyFolders || entry.kind === "directory"
      if (isCandidate && matches(LocalPaths.relative(root, entry.path))) found.push(entry)
    }
  }
  return { found, isPartial: false }
})

const find = Effect.fnUntraced(function* ({ limit = defaultLimit, path = ".", pattern }: Args, cwd: string) {
  const root = LocalPaths.ofArgument(path, { cwd })
  const files = yield* Files
  // Fails with the reason why this is not a folder.
  if (!(yield* files.isDirectory(root))) yield* files.entries(root)
  const { found, isPartial } = yield* collect(root, pattern, limit)
  if (found.length === 0 && !isPartial) return Tool.textOutput("No files found matching pattern")
  const lines = found
    .slice(0, limit)
    .map(({ kind, path }) => LocalPaths.display(path, cwd) + (kind === "directory" ? "/" : ""))
  const cut = Truncate.truncateHead(lines.join("\n"))
  const hasMore = found.length > limit
  const notices = [
    ...(hasMore ? [`${limit} results limit reached. Use limit=${limit * 2} for more, or a narrower pattern.`] : []),
    ...(cut.truncated ? [`Showing ${cut.outputLines} of ${lines.length} results: output limit reached.`] : []),
    ...(isPartial ? [`Stopped after ${maxMillis / 1000} seconds; folders are left. Narrow the path.`] : [])
  ]
  const notice = notices.length === 0 ? "" : `[${notices.join(" ")}]`
  const parts = [cut.content.replace(/\n$/, ""), notice].filter((part) => part !== "")
  return Tool.textOutput(parts.join("\n\n"), {
    ...(cut.truncated ? { truncation: Truncate.toDetails(cut) } : {}),
    ...(hasMore ? { resultLimitReached: limit } : {})
  })
})

export const make = (options: { readonly cwd: string; readonly machine: Context.Context<Files> }) =>
  Tool.makeWith(options.machine, {
    name: "find",
    description: [
      "Find files and directories by a glob pattern. Prints one path a line, in the order of the tree, `/` after",
      "directories. Goes into hidden directories; skips .git and what .gitignore files exclude, does not follow links.",
      `Shows at most ${defaultLimit} results unless limit says otherwise, and never more than 2000 lines or 50 KiB.`
    ].join(" "),
    parameters,
    run: (args) => Effect.catchTag(find(args, options.cwd), "FileError", FileFailures.forPurpose("search"))
  })
