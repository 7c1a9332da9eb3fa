/** Reads who sent a JSON object and what it is, where the object itself must not be built. */
import * as Either from "effect/Either"
import * as Json from "./Json.ts"
import { makeNext } from "./JsonScan.ts"

/** Longer texts are looked at up to here. */
const mostRead = 8 * 1024 * 1024
/** Longer members are left out. */
const longest = 1024

/** The strings, numbers and literals of the root object by key, as far as the text can be read. */
export const scalarsOf = (whole: string): ReadonlyMap<string, unknown> => {
  const text = whole.length > mostRead ? whole.slice(0, mostRead) : whole
  const nextQuote = makeNext(text, '"')
  const nextBackslash = makeNext(text, "\\")
  const found = new Map<string, unknown>()
  let depth = 0
  let key: string | undefined
  let expectsKey = false

  const read = (from: number, end: number): unknown =>
    end - from > longest ? undefined : Either.getOrUndefined(Json.parse(text.slice(from, end)))

  /** The position behind the string that begins at `from`. */
  const endOfString = (from: number): number => {
    let at = from + 1
    for (let backslash = nextBackslash(at); backslash < nextQuote(at); backslash = nextBackslash(at)) at = backslash + 2
    return nextQuote(at) + 1
  }

  const member = (value: unknown) => {
    if (key !== undefined && value !== undefined) found.set(key, value)
    key = undefined
  }

  const literal = /[^\s,:{}[\]"]+/y
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = endOfString(at)
      const value = depth === 1 ? read(at, end) : undefined
      if (depth === 1 && expectsKey) key = typeof value === "string" ? value : undefined
      else if (depth === 1) member(value)
      at = end
    } else if (char === "{" || char === "[") {
      if (depth === 1) key = undefined
      expectsKey = depth === 0 && char === "{"
      depth++
      at++
    } else if (char === "}" || char === "]") {
      depth--
      at++
    } else if (char === "," || char === ":") {
      if (depth === 1) expectsKey = char === ","
      at++
    } else if (depth === 1 && key !== undefined) {
      literal.lastIndex = at
      const end = at + (literal.exec(text)?.[0].length ?? 1)
      if (end > at && text.slice(at, end).trim() !== "") member(read(at, end))
      at = end
    } else at++
  }
  return found
}
