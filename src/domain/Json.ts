/** The one place that parses JSON, so that a parse error is always a value. */
import * as Either from "effect/Either"

export const parse = (text: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: (cause) => String(cause) })

/**
 * Parses as much as possible of JSON that is still arriving: closes open strings, arrays and objects, and drops a key
 * without its value and a half-written literal. Undefined if nothing is usable.
 */
export const parsePartial = (text: string): unknown => {
  const whole = parse(text)
  if (Either.isRight(whole)) return whole.right
  const closers: Array<string> = []
  let inString = false
  let escaped = false
  // Longest prefix after which only closers are missing, with the closers that it needs.
  let safeEnd = 0
  let safeClosers = ""
  const keep = (end: number) => {
    safeEnd = end
    safeClosers = closers.toReversed().join("")
  }
  let expectsKey = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (escaped) escaped = false
      else if (char === "\\") escaped = true
      else if (char === '"') {
        inString = false
        if (!expectsKey) keep(i + 1)
      }
    } else if (char === '"') {
      inString = true
    } else if (char === "{" || char === "[") {
      closers.push(char === "{" ? "}" : "]")
      expectsKey = char === "{"
      keep(i + 1)
    } else if (char === "}" || char === "]") {
      closers.pop()
      expectsKey = false
      keep(i + 1)
    } else if (char === ",") {
      keep(i)
      expectsKey = closers[closers.length - 1] === "}"
    } else if (char === ":") {
      expectsKey = false
    }
  }
  if (inString && !expectsKey) {
    const end = escaped ? text.length - 1 : text.length
    const open = text.slice(0, end).replace(/\\u[0-9a-fA-F]{0,3}$/, "")
    const closed = parse(open + '"' + closers.toReversed().join(""))
    if (Either.isRight(closed)) return closed.right
  }
  return Either.getOrUndefined(parse(text.slice(0, safeEnd) + safeClosers))
}
