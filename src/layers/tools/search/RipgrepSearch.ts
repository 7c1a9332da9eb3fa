/** The fast search engine: ripgrep, with options that make it see the same files and lines as BuiltInSearch. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Files } from "../../../services/machine/Files.ts"
import { Processes, SpawnFailed } from "../../../services/machine/Processes.ts"
import type { ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as BuiltInSearch from "./BuiltInSearch.ts"
import * as Glob from "./Glob.ts"
import * as RipgrepOutput from "./RipgrepOutput.ts"
import type { Found, Query } from "./Search.ts"
import { comparePaths } from "./Search.ts"
import * as Walk from "./Walk.ts"

const format = ["--no-config", "--no-messages", "--color=never", "--no-heading", "--with-filename", "--line-number"]
/** Only .gitignore files exclude files, inside and outside of repositories; `.git` is never searched. */
const files = ["--null", "--hidden", "--glob=!.git", "--no-require-git", "--no-ignore-global", "--no-ignore-exclude"]
const meaning = ["--no-ignore-dot", "--crlf", "--engine=auto"]

/**
 * `--glob` would search ignored files, too. `--type` does not, but it matches names only: it reduces the files to search,
 * and the paths of matches are checked against the whole glob.
 */
const nameFilter = (glob: string | undefined): ReadonlyArray<string> => {
  const name = glob?.slice(glob.lastIndexOf("/") + 1) ?? ""
  const says = name !== "" && !glob?.startsWith("!") && !/[{},:\\]/.test(glob ?? "") && name !== "**"
  return says ? [`--type-add=heddle:${name}`, "--type=heddle"] : []
}

const toArguments = (query: Query, sorted: boolean): ReadonlyArray<string> => [
  ...format,
  ...files,
  ...meaning,
  `--max-count=${query.limit + 1}`,
  ...(query.isFile ? [] : nameFilter(query.glob)),
  ...(query.ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
  ...(query.literal ? ["--fixed-strings"] : []),
  ...(sorted ? ["--sort=path"] : []),
  `--regexp=${query.pattern}`,
  "--",
  query.root
]

/** More than any search of source files takes. Ripgrep reads a whole ignore file and whole lines into memory. */
const memoryLimit = 256 * 1024

/** A search that takes longer than this is looked after. */
const patience = "250 millis"

/**
 * Ripgrep waits for ever at an ignore file that is a FIFO, and its threads report nothing. Fails when there is such a file;
 * otherwise never returns.
 */
const trap = Effect.fnUntraced(function* (root: string) {
  yield* Effect.sleep(patience)
  const walk = yield* Walk.make(root)
  while ((yield* walk.next(256)).length > 0 && !walk.hasMetTrap());
  if (!walk.hasMetTrap()) return yield* Effect.never
  return yield* new SpawnFailed({ message: "an ignore file in the tree is no regular file" })
})

/** Hands over the output until `onOutput` has seen enough. Exit code 1 means no match, others come with a complaint. */
const ripgrep = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  cwd: string,
  onOutput: (chunk: Uint8Array) => boolean
) {
  const processes = yield* Processes
  const { errors, exitCode = 0 } = yield* processes.run({
    command,
    cwd,
    env: {},
    onOutput,
    memoryLimit,
    keepErrors: true
  })
  if (exitCode > 1 && errors !== "") return yield* new SpawnFailed({ message: errors })
})

const runOnce = Effect.fnUntraced(function* (program: string, query: Query, sorted: boolean) {
  const isWanted = query.glob === undefined || query.isFile ? () => true : Glob.matcher(query.glob)
  const output = RipgrepOutput.make(query.limit, (path) => isWanted(LocalPaths.relative(query.root, path)))
  const cwd = LocalPaths.dirname(query.root)
  const ended = yield* ripgrep([program, ...toArguments(query, sorted)], cwd, output.push).pipe(
    Effect.raceFirst(trap(query.root)),
    Effect.timeoutOption(query.maxMillis)
  )
  return { matches: output.finish(), isPartial: Option.isNone(ended) }
})

/**
 * Ripgrep's threads report files in any order. A few matches are sorted here. When there are more than the limit, a second
 * run in the order of paths finds the first ones and ends as soon as it has them.
 */
export const make =
  (program: string) =>
  (query: Query): Effect.Effect<Found, ToolFailure, Files | Processes> =>
    Effect.gen(function* () {
      const quick = yield* runOnce(program, query, false)
      const hasMore = quick.matches.length > query.limit
      const { isPartial, matches } = hasMore && !query.isFile ? yield* runOnce(program, query, true) : quick
      const sorted = matches.toSorted((a, b) => comparePaths(a.path, b.path) || a.line - b.line)
      return { matches: sorted.slice(0, query.limit), hasMore, isPartial }
    }).pipe(
      // The other engine may understand the pattern, or get past the file that ripgrep failed at. If not, it says why.
      Effect.catchTag("SpawnFailed", () => BuiltInSearch.search(query)),
      Effect.withSpan("RipgrepSearch.search")
    )
