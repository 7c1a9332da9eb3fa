/** Values that others hand to us as JSON: whether they can be encoded, and how to make them so. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "./Json.ts"
import { bounds, tooDeep, tooMany } from "./JsonScan.ts"

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  Predicate.hasProperty(value, "toJSON") && typeof value.toJSON === "function"

const childrenOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

const problemOfOne = (value: unknown): string | undefined => {
  if (typeof value === "bigint") return "holds a BigInt"
  const custom = Predicate.isObject(value) && hasToJson(value) ? Either.try(() => JSON.stringify(value)) : undefined
  return custom !== undefined && Either.isLeft(custom) ? String(custom.left) : undefined
}

/** Level by level, so that neither depth nor a value that contains itself exhausts the stack. */
const search = (root: unknown): string | undefined => {
  let level: ReadonlyArray<unknown> = [root]
  for (let depth = 0, count = 0; level.length > 0; depth++) {
    count += level.length
    if (count > bounds.values) return tooMany(bounds.values)
    const next: Array<unknown> = []
    for (const value of level) {
      const problem = problemOfOne(value)
      if (problem !== undefined) return problem
      if (typeof value !== "object" || value === null || hasToJson(value)) continue
      if (depth === bounds.depth) return tooDeep(bounds.depth)
      for (const child of childrenOf(value)) next.push(child)
    }
    level = next
  }
  return undefined
}

/** Why the value cannot be taken: it is no JSON, or breaks a bound. */
export const problemOf = (value: unknown): string | undefined =>
  Either.match(
    Either.try(() => search(value)),
    { onLeft: String, onRight: (problem) => problem }
  )

/**
 * The value as a file would give it back, or why it cannot be taken. A copy: the sender may change its own afterwards.
 * Undefined, a function or a symbol has no JSON, and the copy is undefined.
 */
export const snapshot = (value: unknown, maxLength: number): Either.Either<unknown, string> => {
  const problem = problemOf(value)
  if (problem !== undefined) return Either.left(problem)
  return Either.try({ try: (): string | undefined => JSON.stringify(value), catch: String }).pipe(
    Either.flatMap((text) => {
      if (text === undefined) return Either.right(undefined)
      return text.length > maxLength ? Either.left(`longer than ${maxLength} characters of JSON`) : Json.parse(text)
    })
  )
}

/** A value that contains itself has no end, so a copy has one. */
const mostCopied = 100_000

/** A copy that can be encoded: what cannot is replaced by a text that says why. */
export const encodable = (root: unknown): unknown => {
  let left = mostCopied
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "bigint") return String(value)
    if (typeof value !== "object" || value === null) return value
    if (depth >= bounds.depth) return `[${tooDeep(bounds.depth)}]`
    if (left <= 0) return `[${tooMany(mostCopied)}]`
    left--
    return Either.getOrElse(
      Either.try((): unknown => {
        if (hasToJson(value)) return copy(value.toJSON(), depth + 1)
        if (Array.isArray(value)) return value.map((child) => copy(child, depth + 1))
        return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(child, depth + 1)]))
      }),
      (error) => `[${error}]`
    )
  }
  return copy(root, 0)
}
