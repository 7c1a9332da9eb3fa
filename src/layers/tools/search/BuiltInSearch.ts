/** The search engine inside heddle. Patterns are JavaScript regular expressions. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../platform/files/LocalPaths.ts"
import type { Files } from "../../../services/machine/Files.ts"
import * as Glob from "./Glob.ts"
import * as Lines from "./Lines.ts"
import type { Found, Match, Query } from "./Search.ts"
import * as Walk from "./Walk.ts"

/** The time limit is checked after each batch of files. */
const batchSize = 64
const concurrency = 32

type FindLines = (text: string, firstLine: number, onLine: (line: number, text: string) => boolean) => boolean

const compile = (source: string, flags: string) =>
  Either.try({ try: () => new RegExp(source, flags), catch: (cause) => cause })

/** Tries the `u` flag first. Without it, meaningless escapes and braces stand for themselves. */
const toRegExp = ({ ignoreCase, literal, pattern }: Query): Either.Either<RegExp, ToolFailure> => {
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : pattern
  const flags = ignoreCase ? "gim" : "gm"
  return compile(literal ? source : pattern, literal ? flags : `${flags}u`).pipe(
    Either.orElse(() => compile(source, flags)),
    Either.mapLeft((cause) => {
      const why = cause instanceof Error ? cause.message.replace(/^Invalid regular expression: /, "") : String(cause)
      return new ToolFailure({
        message: `Invalid pattern: ${why}. Give a valid regular expression, or set literal to search for the text as it is.`
      })
    })
  )
}

/** A look-around may read beyond its match into another line. */
const looksAround = /\(\?<?[=!]/

/**
 * Runs the pattern over many lines at once and looks at single lines only where it found something: a line that
 * matches by itself also matches there, unless the pattern looks around.
 */
const lineFinder = (pattern: RegExp): FindLines => {
  const steps = !looksAround.test(pattern.source)
  const single = new RegExp(pattern.source, pattern.flags.replace("g", ""))
  return (text, firstLine, onLine) => {
    let line = firstLine
    let start = 0
    while (start < text.length) {
      pattern.lastIndex = start
      const candidate = steps ? pattern.exec(text)?.index : start
      if (candidate === undefined) return true
      for (let at = text.indexOf("\n", start); at !== -1 && at < candidate; at = text.indexOf("\n", start)) {
        line++
        start = at + 1
      }
      if (start === text.length) return true
      const found = text.indexOf("\n", start)
      const end = found === -1 ? text.length : found
      const content = text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end)
      if (single.test(content) && !onLine(line, content)) return false
      line++
      start = end + 1
    }
    return true
  }
}

const searchFile = Effect.fnUntraced(function* (path: string, findLines: FindLines, most: number) {
  const matches: Array<Match> = []
  const take = (line: number, text: string) => matches.push({ path, line, text }) < most
  const outcome = yield* Lines.scan(path, (text, firstLine) => findLines(text, firstLine, take))
  return outcome === "binary" ? [] : matches
})

const searchTree = Effect.fnUntraced(function* (query: Query, findLines: FindLines) {
  const deadline = (yield* Stopwatch.reading) + query.maxMillis
  const isWanted = query.glob === undefined ? () => true : Glob.matcher(query.glob)
  const walk = yield* Walk.make(query.root)
  const matches: Array<Match> = []
  while (matches.length <= query.limit) {
    if ((yield* Stopwatch.reading) > deadline) return { matches, isPartial: true }
    const visited = yield* walk.next(batchSize)
    if (visited.length === 0) break
    const files = visited.filter(({ kind, path }) => kind === "file" && isWanted(LocalPaths.relative(query.root, path)))
    const found = yield* Effect.forEach(files, ({ path }) => searchFile(path, findLines, query.limit + 1), {
      concurrency
    })
    matches.push(...found.flat())
  }
  return { matches, isPartial: false }
})

export const search: (query: Query) => Effect.Effect<Found, ToolFailure, Files> = Effect.fn("BuiltInSearch.search")(
  function* (query: Query) {
    const findLines = lineFinder(yield* toRegExp(query))
    const { isPartial, matches } = query.isFile
      ? { matches: yield* searchFile(query.root, findLines, query.limit + 1), isPartial: false }
      : yield* searchTree(query, findLines)
    return { matches: matches.slice(0, query.limit), hasMore: matches.length > query.limit, isPartial }
  }
)
