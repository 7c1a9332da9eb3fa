/** The search engine inside heddle. Patterns are JavaScript regular expressions. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import { ToolFailure } from "../../../services/Tools.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as LineFinder from "../../machine/engine/LineFinder.ts"
import type { Files } from "../../../services/machine/Files.ts"
import * as Glob from "./Glob.ts"
import * as Lines from "./Lines.ts"
import type { Found, Match, Query } from "./Search.ts"
import * as Walk from "./Walk.ts"

/** The time limit is checked after each batch of files. */
const batchSize = 64
const concurrency = 32

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

const ruleOf = ({ flags, source }: RegExp): LineFinder.Rule => ({
  source,
  flags,
  looksAround: looksAround.test(source)
})

/** Adds what it finds to `matches`, which has everything that was found when the search is ended early. */
const searchFile = Effect.fnUntraced(function* (
  path: string,
  find: LineFinder.Find,
  most: number,
  matches: Array<Match> = []
) {
  const outcome = yield* Lines.scan(path, (text, firstLine) =>
    Effect.map(find(text, firstLine, most - matches.length), (lines) => {
      for (const found of lines) matches.push({ path, ...found })
      return matches.length < most
    })
  )
  if (outcome === "binary") matches.length = 0
  return matches
})

/** Whether the time ran out. */
const searchTree = Effect.fnUntraced(function* (query: Query, find: LineFinder.Find, matches: Array<Match>) {
  const deadline = (yield* Stopwatch.reading) + query.maxMillis
  const isWanted = query.glob === undefined ? () => true : Glob.matcher(query.glob)
  const walk = yield* Walk.make(query.root)
  while (matches.length <= query.limit) {
    if ((yield* Stopwatch.reading) > deadline) return true
    const visited = yield* walk.next(batchSize)
    if (visited.length === 0) break
    const files = visited.filter(({ kind, path }) => kind === "file" && isWanted(LocalPaths.relative(query.root, path)))
    const found = yield* Effect.forEach(files, ({ path }) => searchFile(path, find, query.limit + 1), { concurrency })
    for (const more of found) for (const match of more) matches.push(match)
  }
  return false
})

/** An interrupt and the limit of time end it also where the pattern is in the middle of a text. */
export const search: (query: Query) => Effect.Effect<Found, ToolFailure, Files> = Effect.fn("BuiltInSearch.search")(
  function* (query: Query) {
    const find = yield* LineFinder.make(ruleOf(yield* toRegExp(query)))
    const matches: Array<Match> = []
    const whole = query.isFile
      ? Effect.as(searchFile(query.root, find, query.limit + 1, matches), false)
      : searchTree(query, find, matches)
    const isPartial = Option.getOrElse(yield* Effect.timeoutOption(whole, query.maxMillis), () => true)
    return { matches: matches.slice(0, query.limit), hasMore: matches.length > query.limit, isPartial }
  },
  Effect.scoped,
  Effect.catchTag(
    "ThreadFailed",
    ({ message }) => new ToolFailure({ message: `The search could not go on: ${message}` })
  )
)
