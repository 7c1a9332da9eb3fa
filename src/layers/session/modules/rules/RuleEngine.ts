/**
 * Finds many patterns in a text that is still arriving, with the linear-time matcher of re2js. A look covers what has
 * arrived since the last one and the 4 KiB before it, so a match that is longer may be missed. Loaded with the first rule
 * that has a condition.
 */
import * as Either from "effect/Either"
import { RE2JS, RE2Set } from "re2js"

/** A pattern as re2js has read it, and its size at most, in instructions. */
export interface Pattern {
  readonly tree: RE2Set["regexps"][number]
  readonly size: number
}

const longestPattern = 2000
const largestPattern = 50_000
/** How many instructions one set has, except for a single pattern. */
const largestSet = 20_000
/** How much of the text before a piece is looked at again. */
const lookBack = 4096
/** Stands where the text was cut, so that `^` does not match there. */
const cutMark = "\uE000"
/** In milliseconds. Patterns whose states are too many for the matcher's memory take it thousands of times longer. */
const slowLook = 40
const mostSlowLooks = 3

export interface Scanner {
  readonly push: (text: string) => void
  /** Matches what was pushed since the last look. A pattern that ends with `$` or `\b` is found if it fits what has arrived. */
  readonly look: () => void
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

const compile = (patterns: ReadonlyArray<Pattern>) => {
  const set = new RE2Set()
  for (const { tree } of patterns) set.regexps.push(tree)
  set.compile()
  return set
}

/** Sets of a bounded size, each with the index of its first pattern. */
const setsOf = (patterns: ReadonlyArray<Pattern>, first = 0): ReadonlyArray<{ first: number; set: RE2Set }> => {
  const size = patterns.reduce((total, pattern) => total + pattern.size, 0)
  if (size <= largestSet || patterns.length === 1) return [{ first, set: compile(patterns) }]
  const half = patterns.length >> 1
  return [...setsOf(patterns.slice(0, half), first), ...setsOf(patterns.slice(half), first + half)]
}

/** `now` counts milliseconds. */
export const make = (patterns: ReadonlyArray<Pattern>, now: () => number): PatternSet => {
  const sets = setsOf(patterns)
  return {
    scanner: (found, spent) => {
      let [before, fresh] = ["", ""]
      let [isCut, slowLooks] = [false, 0]
      const seen = new Set<number>()

      const match = (text: string) => {
        for (const { first, set } of sets) {
          for (const index of set.match(text)) {
            if (seen.has(first + index)) continue
            seen.add(first + index)
            found(first + index)
          }
        }
      }
      const look = () => {
        const text = before + fresh
        const began = now()
        match(isCut ? cutMark + text : text)
        isCut ||= text.length > lookBack
        before = text.slice(-lookBack)
        if (now() - began > slowLook && ++slowLooks === mostSlowLooks) spent()
      }
      return {
        push: (text) => {
          fresh += text
        },
        look: () => {
          if (fresh !== "" && slowLooks < mostSlowLooks && seen.size < patterns.length) look()
          fresh = ""
        }
      }
    }
  }
}
