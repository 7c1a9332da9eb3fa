/** The one place that parses JSON, so that a parse error is always a value, and the one that writes it. */
import * as Either from "effect/Either"
import * as JsonScan from "./JsonScan.ts"

/** Those of the engine: an extension may put others in their place, and what is read and written here is the host's. */
const { parse: parseText, stringify: toText } = JSON

export const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => parseText(text), catch: (cause) => String(cause) })

/** Throws where a value has no JSON, or code in it throws. */
export const stringify: typeof JSON.stringify = toText

/** Whether the text has more than `count` brackets that open, in strings or not. */
const hasOpeners = (text: string, count: number): boolean => {
  let left = count
  for (const opener of ["{", "["]) {
    for (let at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) if (--left < 0) return true
  }
  return false
}

/** The bound that the text breaks, in words. Most texts are too short for that, and are not looked at. */
export const excessOf = (text: string, bounds: JsonScan.Bounds = JsonScan.bounds): string | undefined => {
  const mayBeDeep = text.length > 2 * bounds.depth && hasOpeners(text, bounds.depth)
  const mayBeMany = text.length > 2 * bounds.values - 2
  if (!mayBeDeep && !mayBeMany) return undefined
  const scan = JsonScan.make(bounds)
  scan.push(text)
  return scan.excess()
}

/** Parses text of others: one that breaks a bound is refused before anything is made of it. */
export const parseBounded = (text: string, bounds?: JsonScan.Bounds): Either.Either<unknown, string> => {
  const excess = excessOf(text, bounds)
  return excess === undefined ? parse(text) : Either.left(excess)
}

/** Parses what the scan has seen of the text. */
export const parseScanned = (text: string, scan: JsonScan.JsonScan): unknown => {
  if (scan.excess() !== undefined) return undefined
  const attempt = scan.isClosed() ? parse(text) : closeString(text, scan)
  if (Either.isRight(attempt)) return attempt.right
  return Either.getOrUndefined(parse(text.slice(0, scan.safeEnd()) + scan.closers()))
}

const closeString = (text: string, scan: JsonScan.JsonScan): Either.Either<unknown, string> => {
  const open = scan.openString()
  if (open === "no") return Either.left("not in a string")
  const end = open === "escaped" ? text.length - 1 : text.length
  return parse(`${text.slice(0, end).replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"${scan.closers()}`)
}

/**
 * Parses as much as possible of JSON that is still arriving: closes open strings, arrays and objects, and drops a key
 * without its value and a half-written literal. Undefined if nothing is usable, or if the text breaks a bound.
 */
export const parsePartial = (text: string): unknown => {
  const isShort = text.length <= 2 * JsonScan.maxDepth
  const whole = isShort ? parse(text) : undefined
  if (whole !== undefined && Either.isRight(whole)) return whole.right
  const scan = JsonScan.make()
  scan.push(text)
  return parseScanned(text, scan)
}
