/**
 * Finds many patterns in a text that is still arriving, and looks at each character once. The automaton of re2js keeps its
 * state between two pieces of text; its own `match` would read everything again. Loaded with the first rule that has a
 * condition.
 */
import * as Either from "effect/Either"
import { RE2JS, RE2Set } from "re2js"

/** A state of the automaton. `next` has a member for each class of characters and one for the end of the text. */
interface State {
  readonly next: ReadonlyArray<State | null> | null
  readonly nfaStates: ReadonlyArray<number>
  readonly isMatch: boolean
  readonly matchIDs: ReadonlyArray<number>
}

/** Longer patterns, and patterns that compile to more instructions, are refused. */
const longestPattern = 2000
const largestPattern = 5000
/** How many instructions one automaton has at most. */
const largestSet = 20_000
/** How much work one text may cause beyond one look at each character: about a fifth of a second. */
export const mostWork = 2_000_000

const endOfText = -1
/** The flag that says: before the first character. */
const atStart = { context: () => 4 }

export interface Scanner {
  /** Reads on. A pattern that ends with `$` or `\b` is found if it fits what has arrived. */
  readonly push: (text: string) => void
}

export interface PatternSet {
  /** Calls `found` once for each pattern that occurs, and `spent` if the rest of the text is not looked at. */
  readonly scanner: (found: (pattern: number) => void, spent: () => void) => Scanner
}

const compile = (patterns: ReadonlyArray<string>) => {
  const set = new RE2Set()
  for (const pattern of patterns) set.add(RE2JS.translateRegExp(pattern))
  set.compile()
  return set
}

/** Rules are matched in linear time, so constructs that need backtracking do not exist. */
const advice = "look-around, back references, possessive repeats and counts above 1000 are not supported"
const needsAdvice = /Perl syntax|named capture|escape sequence|nested repetition|repeat count/

const explain = (cause: unknown): string => {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace("error parsing regexp: ", "")
  return needsAdvice.test(reason) ? `${reason} (${advice})` : reason
}

/** How many instructions the pattern has, or why it is refused. */
export const sizeOf = (pattern: string): Either.Either<number, string> => {
  if (pattern.length > longestPattern) return Either.left(`is longer than ${longestPattern} characters`)
  return Either.try({
    try: () => compile([pattern]).prog.numInst(),
    catch: explain
  }).pipe(
    Either.filterOrLeft(
      (size) => size <= largestPattern,
      () => "is too large: repeat less, or fewer alternatives"
    )
  )
}

/** Whether the last character is the first half of a pair, whose second half arrives with the next piece. */
const endsInHalf = (text: string) => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** One automaton over some of the patterns; `first` is the index of the first of them. */
const automaton = (patterns: ReadonlyArray<string>, first: number): PatternSet => {
  const { dfa } = compile(patterns)
  const { latin1Class, numClasses } = dfa
  const start: State | null = dfa.start(atStart, 0)

  /** Builds a state that was not needed before. Null if there is no room for it, even in an empty cache. */
  const build = (from: State, type: number, rune: number): State | null => {
    const next: State | null = dfa.step(from, type, rune, RE2Set.UNANCHORED)
    if (next !== null) return next
    const kept: State | null = dfa.resetCache(from)
    return kept === null ? null : dfa.step(kept, type, rune, RE2Set.UNANCHORED)
  }

  const scanner: PatternSet["scanner"] = (found, spent) => {
    let state = start
    let half = ""
    let work = mostWork
    const left = new Set(patterns.keys())
    /** States whose patterns were told. */
    const told = new Set<State>()

    const tell = (at: State) => {
      told.add(at)
      for (const pattern of at.matchIDs) if (left.delete(pattern)) found(first + pattern)
    }
    const step = (from: State, type: number, rune: number): State | null => {
      let next = from.next === null ? null : (from.next[type] ?? null)
      if (next === null) {
        next = build(from, type, rune)
        work -= 20 + (next?.nfaStates.length ?? 0)
      }
      if (next !== null && next.isMatch && !told.has(next)) tell(next)
      return work < 0 ? null : next
    }
    const read = (text: string): State | null => {
      let at = state
      for (let i = 0; i < text.length && at !== null; i++) {
        const rune = text.codePointAt(i) ?? 0
        if (rune > 0xffff) i++
        at = step(at, rune < 256 ? (latin1Class[rune] ?? 0) : dfa.runeClass(rune), rune)
      }
      return at
    }
    const push = (piece: string) => {
      if (state === null || left.size === 0 || piece === "") return
      const text = half + piece
      half = endsInHalf(text) ? text.slice(-1) : ""
      state = read(half === "" ? text : text.slice(0, -1))
      // Leaves the state where it is: more text may follow.
      const ended = state === null ? null : step(state, numClasses, endOfText)
      if (ended !== null) return
      state = null
      spent()
    }
    return { push }
  }
  return { scanner }
}

/** Patterns that `sizeOf` has accepted, with their sizes, in as few automata as their sizes allow. */
export const make = (patterns: ReadonlyArray<readonly [pattern: string, size: number]>): PatternSet => {
  const sets: Array<PatternSet> = []
  let from = 0
  let total = 0
  const close = (to: number) => {
    if (to > from)
      sets.push(
        automaton(
          patterns.slice(from, to).map(([pattern]) => pattern),
          from
        )
      )
    from = to
    total = 0
  }
  for (const [index, [, size]] of patterns.entries()) {
    if (total + size > largestSet) close(index)
    total += size
  }
  close(patterns.length)
  const [only] = sets
  if (only !== undefined && sets.length === 1) return only
  return {
    scanner: (found, spent) => {
      const scanners = sets.map((set) => set.scanner(found, spent))
      return { push: (text) => scanners.forEach(({ push }) => push(text)) }
    }
  }
}
