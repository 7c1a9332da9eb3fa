/** The tool `grep`: lines that match a pattern, in the files that version control would see. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Text from "../../../domain/Text.ts"
import { Files } from "../../../services/machine/Files.ts"
import type { Processes } from "../../../services/machine/Processes.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as Process from "../../machine/processes/Process.ts"
import * as FileFailures from "../files/FileFailures.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as BuiltInSearch from "./BuiltInSearch.ts"
import * as MatchContext from "./MatchContext.ts"
import * as RipgrepSearch from "./RipgrepSearch.ts"
import type { Engine, Found } from "./Search.ts"
import * as Tool from "../Tool.ts"
import * as Truncate from "../files/Truncate.ts"

const defaultLimit = 100
const maxLineLength = 500
const maxMillis = 30_000

const parameters = Schema.Struct({
  pattern: Tool.required(Tool.NonEmptyText, "Regular expression to find within single lines."),
  path: Tool.optional(Tool.NonEmptyText, "Directory or file to search. Default: the working directory."),
  glob: Tool.optional(
    Tool.NonEmptyText,
    "Only files that match, such as *.ts, src/**/*.{js,jsx} or !*.test.ts; with a slash, relative to path."
  ),
  ignoreCase: Tool.optional(Schema.Boolean, "Take upper and lower case for the same. Default: false."),
  literal: Tool.optional(Schema.Boolean, "Take the pattern as plain text. Default: false."),
  context: Tool.optional(
    Schema.Number.pipe(Schema.int(), Schema.nonNegative()),
    "Lines to show before and after each match. Default: 0."
  ),
  limit: Tool.optional(Tool.PositiveInt, `Largest number of matching lines to show. Default: ${defaultLimit}.`)
})
type Args = typeof parameters.Type

const toText = ({ isMatch, line, path, text }: MatchContext.Line) => {
  const cut = Text.first(text, maxLineLength)
  const sign = isMatch ? ":" : "-"
  return `${path}${sign}${line}${sign} ${cut}${cut === text ? "" : "... [truncated]"}`
}

const notices = (found: Found, limit: number, cut: Truncate.TruncationResult): string => {
  const all = [
    ...(found.hasMore
      ? [`${limit} matches limit reached. Use limit=${limit * 2} for more, or a narrower pattern or path.`]
      : []),
    ...(cut.truncated
      ? [
          `Showing ${cut.outputLines} of ${cut.totalLines} lines: ${cut.truncatedBy === "lines" ? `${cut.maxLines} lines` : Truncate.formatBytes(cut.maxBytes)} limit reached.`
        ]
      : []),
    ...(found.isPartial
      ? [`Stopped after ${maxMillis / 1000} seconds; files are left. Narrow the path or the glob.`]
      : [])
  ]
  return all.length === 0 ? "" : `[${all.join(" ")}]`
}

const render = Effect.fnUntraced(function* (found: Found, args: Args, cwd: string) {
  const { context = 0, limit = defaultLimit } = args
  if (found.matches.length === 0 && !found.isPartial) return Tool.textOutput("No matches found")
  const lines = yield* MatchContext.expand(found.matches, context)
  const shown = lines.flatMap((line, index) => [
    ...(line.opensBlock && index > 0 ? ["--"] : []),
    toText({ ...line, path: LocalPaths.display(line.path, cwd) })
  ])
  const cut = Truncate.truncateHead(shown.join("\n"))
  const parts = [cut.content.replace(/\n$/, ""), notices(found, limit, cut)].filter((part) => part !== "")
  return Tool.textOutput(parts.join("\n\n"), {
    ...(cut.truncated ? { truncation: Truncate.toDetails(cut) } : {}),
    ...(found.hasMore ? { matchLimitReached: limit } : {}),
    ...(lines.some(({ text }) => text.length > maxLineLength) ? { linesTruncated: true } : {})
  })
})

const search = Effect.fnUntraced(function* (args: Args, cwd: string, engine: Engine) {
  if (/[\r\n]/.test(args.pattern)) {
    const message = "The pattern contains a line break, but grep looks at single lines. Search for one of the lines."
    return yield* new ToolFailure({ message })
  }
  const root = LocalPaths.ofArgument(args.path ?? ".", { cwd })
  const { glob, ignoreCase = false, limit = defaultLimit, literal = false, pattern } = args
  const files = yield* Files
  const isFile = !(yield* files.isDirectory(root))
  // Fails when there is nothing, and for devices and pipes, which a search would wait on.
  if (isFile) yield* Effect.scoped(files.open(root))
  const found = yield* engine({ root, isFile, pattern, literal, ignoreCase, glob, limit, maxMillis })
  return yield* render(found, args, cwd)
})

/** Ripgrep if it is installed and sees the files that the tools see. Looked for at each call. */
const bestEngine: Engine = Effect.fnUntraced(function* (query) {
  const { sharedWithPrograms } = yield* Files
  const program = sharedWithPrograms ? yield* Process.ripgrep : undefined
  return yield* program === undefined ? BuiltInSearch.search(query) : RipgrepSearch.make(program)(query)
})

export interface GrepOptions {
  readonly cwd: string
  readonly machine: Context.Context<Files | Processes>
  readonly engine?: Engine
}

export const make = (options: GrepOptions) =>
  Tool.makeWith(options.machine, {
    name: "grep",
    description: [
      "Search file contents for a regular expression. Prints file:line: text for each matching line, in the order of the",
      "tree. Goes into subdirectories and hidden files; skips .git, binary files and what .gitignore files exclude.",
      `Shows at most ${defaultLimit} matches unless limit says otherwise; lines are cut at ${maxLineLength} characters, the`,
      "whole at 2000 lines or 50 KiB. Use it, rather than grep in a shell, to find where something is defined or used."
    ].join(" "),
    parameters,
    run: (args) =>
      Effect.catchTag(
        search(args, options.cwd, options.engine ?? bestEngine),
        "FileError",
        FileFailures.forPurpose("search")
      )
  })
