/**
 * Finds many patterns in a text that is still arriving, and looks at each character once. re2js reads and compiles the
 * patterns; its own `match` would read the whole text again for every piece. Loaded with the first rule that has a
 * condition.
 */
import * as Either from "effect/Either"
import { RE2JS, RE2Set } from "re2js"
import * as Automaton from "./Automaton.ts"

/** A pattern as re2js has read it, and its size at most, in instructions. */
export interface Pattern {
  readonly tree: RE2Set["regexps"][number]
  readonly size: number
}

const longestPattern = 2000
const largestPattern = 50_000
/** How many instructions one automaton has, except for a single pattern. */
const largestSet = 20_000
/** How much work one text may cause beyond one look at each character: about a fifth of a second. */
const mostWork = 2_000_000

export interface Scanner {
  /** Reads on. A pattern that ends with `$` or `\b` is found if it fits what has arrived. */
  readonly push: (text: string) => void
}

export interface PatternSet {
  /** Calls `found` once for each pattern that occurs, and `spent` if the rest of the text is not looked at. */
  readonly scanner: (found: (pattern: number) => void, spent: () => void) => Scanner
}

/** Constructs that need backtracking do not exist. */
const advice = "look-around, back references, possessive repeats and counts above 1000 are not supported"
const needsAdvice = /Perl syntax|named capture|escape sequence|nested repetition|repeat count/

const explain = (cause: unknown): string => {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace("error parsing regexp: ", "")
  return needsAdvice.test(reason) ? `${reason} (${advice})` : reason
}

/** Counted repeats are written out, and re2js allows nested ones only up to 1000 together. */
const sizeOf = (pattern: string) => {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most) || Number(least))
  return pattern.length * counts.reduce((largest, count) => Math.max(largest, Math.min(count, 1000)), 1)
}

/** Left says why the pattern is refused. */
export const read = (pattern: string): Either.Either<Pattern, string> => {
  if (pattern.length > longestPattern) return Either.left(`is longer than ${longestPattern} characters`)
  const size = sizeOf(pattern)
  if (size > largestPattern) return Either.left("is too large: repeat less, or a shorter part")
  const set = new RE2Set()
  return Either.try({ try: () => set.add(RE2JS.translateRegExp(pattern)), catch: explain }).pipe(
    Either.map((index) => ({ tree: set.regexps[index], size }))
  )
}

/** Whether the last character is the first half of a pair, whose second half arrives with the next piece. */
const endsInHalf = (text: string) => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

const scannerOf =
  ({ build, latin1, start, typeOf }: Automaton.Automaton, first: number, count: number): PatternSet["scanner"] =>
  (found, spent) => {
    let state = start
    let half = ""
    let work = mostWork
    let left = count
    const seen = new Set<number>()
    /** Moves whose patterns were told. */
    const told = new Set<Automaton.Move>()

    const tell = (move: Automaton.Move) => {
      if (move.found === Automaton.noPatterns || told.has(move)) return
      told.add(move)
      for (const pattern of move.found) {
        if (seen.has(pattern)) continue
        seen.add(pattern)
        left--
        found(first + pattern)
      }
    }
    const make = (from: Automaton.State, type: number, rune: number) => {
      const move = build(from, type, rune)
      work -= 20 + move.work
      return move
    }
    /** Runs for every character, so it calls nothing that it need not call. */
    const read = (text: string, end: number) => {
      let from = state
      for (let at = 0; at < end && work >= 0; at++) {
        let rune = text.charCodeAt(at)
        if (rune >= 0xd800 && rune <= 0xdbff) rune = text.codePointAt(at) ?? rune
        if (rune > 0xffff) at++
        const type = rune < 256 ? (latin1[rune] ?? 0) : typeOf(rune)
        const move = from.moves[type] ?? make(from, type, rune)
        if (move.found !== Automaton.noPatterns) tell(move)
        from = move.to
      }
      return from
    }
    const push = (piece: string) => {
      if (work < 0 || left === 0 || piece === "") return
      const text = half + piece
      half = endsInHalf(text) ? text.slice(-1) : ""
      state = read(text, text.length - half.length)
      // Leaves the state where it is: more text may follow.
      const end = typeOf(Automaton.endOfText)
      tell(state.moves[end] ?? make(state, end, Automaton.endOfText))
      if (work < 0) spent()
    }
    return { push }
  }

const join = (sets: ReadonlyArray<PatternSet>): PatternSet => ({
  scanner: (found, spent) => {
    const scanners = sets.map((set) => set.scanner(found, spent))
    return { push: (text) => scanners.forEach(({ push }) => push(text)) }
  }
})

/** `first` is the index of the first of these patterns among those that the caller knows. */
export const make = (patterns: ReadonlyArray<Pattern>, first = 0): PatternSet => {
  const size = patterns.reduce((total, pattern) => total + pattern.size, 0)
  if (size > largestSet && patterns.length > 1) {
    const half = patterns.length >> 1
    return join([make(patterns.slice(0, half), first), make(patterns.slice(half), first + half)])
  }
  const set = new RE2Set()
  for (const { tree } of patterns) set.regexps.push(tree)
  set.compile()
  return { scanner: scannerOf(Automaton.make(set.prog, set.dfa), first, patterns.length) }
}
