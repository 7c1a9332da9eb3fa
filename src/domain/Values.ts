/** What every room does with values of any kind. Pure. */
import * as ParseResult from "effect/ParseResult"
import * as Text from "./Text.ts"

/**
 * The members that have a value: those that are undefined are left out. For optional members, which may be absent but
 * not undefined.
 */
export const defined = <A extends object>(members: A): { readonly [K in keyof A]?: A[K] & ({} | null) } => {
  const result: { [K in keyof A]?: A[K] & ({} | null) } = {}
  for (const key in members) {
    const value = members[key]
    if (value !== undefined) result[key] = value
  }
  return result
}

/** Makes a value when it is first asked for. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** The issues quote what was decoded, which may be megabytes. */
const longestExplanation = 2000

/** What is wrong with each member, on one line. */
export const explain = (error: ParseResult.ParseError): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`
  )
  return Text.clip(issues.join("; "), longestExplanation)
}
