/** Values that others hand to us as JSON: whether they can be encoded, and how to make them so. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "./Json.ts"
import { bounds, tooDeep, tooMany } from "./JsonScan.ts"

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  Predicate.hasProperty(value, "toJSON") && typeof value.toJSON === "function"

/** What is thrown while a value of others is read is theirs, too: only a message that is plain data is repeated. */
const reasonOf = (thrown: unknown): string => {
  const read = Either.try((): unknown =>
    Predicate.isObject(thrown) ? Object.getOwnPropertyDescriptor(thrown, "message")?.value : String(thrown)
  )
  return Either.isRight(read) && typeof read.right === "string" ? `Error: ${read.right}` : "it cannot be read"
}

const childrenOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

const problemOfOne = (value: unknown): string | undefined => {
  if (typeof value === "bigint") return "holds a BigInt"
  const custom = Predicate.isObject(value) && hasToJson(value) ? Either.try(() => Json.stringify(value)) : undefined
  return custom !== undefined && Either.isLeft(custom) ? reasonOf(custom.left) : undefined
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
      // By index: an iterator of others need not end.
      const children = childrenOf(value)
      const { length } = children
      if (count + next.length + length > bounds.values) return tooMany(bounds.values)
      for (let index = 0; index < length; index++) next.push(children[index])
    }
    level = next
  }
  return undefined
}

/** Why the value cannot be taken: it is no JSON, or breaks a bound. */
export const problemOf = (value: unknown): string | undefined =>
  Either.match(
    Either.try(() => search(value)),
    { onLeft: reasonOf, onRight: (problem) => problem }
  )

/**
 * The value as a file would give it back, or why it cannot be taken. A copy: the sender may change its own afterwards.
 * Undefined, a function or a symbol has no JSON, and the copy is undefined.
 */
export const snapshot = (value: unknown, maxLength: number): Either.Either<unknown, string> => {
  const problem = problemOf(value)
  if (problem !== undefined) return Either.left(problem)
  return Either.try({ try: (): string | undefined => Json.stringify(value), catch: reasonOf }).pipe(
    Either.flatMap((text) => {
      if (text === undefined) return Either.right(undefined)
      return text.length > maxLength ? Either.left(`longer than ${maxLength} characters of JSON`) : Json.parse(text)
    })
  )
}

/** A copy that can be encoded: what cannot is replaced by a text that says why. */
const copied = (root: unknown, most: number): unknown => {
  let left = most
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "bigint") return String(value)
    if (typeof value === "function" || typeof value === "symbol") return undefined
    if (typeof value !== "object" || value === null) return value
    if (depth >= bounds.depth) return `[${tooDeep(bounds.depth)}]`
    if (left <= 0) return `[${tooMany(most)}]`
    left--
    return Either.getOrElse(
      Either.try((): unknown => {
        if (hasToJson(value)) return copy(value.toJSON(), depth + 1)
        if (Array.isArray(value))
          return Array.from({ length: Math.min(value.length, most) }, (_, at) => copy(value[at], depth + 1) ?? null)
        const members = Object.entries(value).map(([key, child]) => [key, copy(child, depth + 1)] as const)
        return Object.fromEntries(members.filter(([, child]) => child !== undefined))
      }),
      (thrown) => `[${reasonOf(thrown)}]`
    )
  }
  return copy(root, 0)
}

/** A value that contains itself has no end, so a copy has one. */
const mostCopied = 100_000

export const encodable = (root: unknown): unknown => copied(root, mostCopied)

const freeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  Object.freeze(value)
  for (const child of Object.values(value)) freeze(child)
}

/** A copy of an object that nothing changes any more, without code of its sender, or why there is none. */
export const frozen = (value: unknown): Either.Either<Readonly<Record<string, unknown>>, string> =>
  Either.flatMap(plain(value), (copy) => {
    if (!Predicate.isReadonlyRecord(copy)) return Either.left("is no object")
    freeze(copy)
    return Either.right(copy)
  })

/** A copy without code of its sender: the same as `snapshot`, but texts are shared. */
export const plain = (value: unknown): Either.Either<unknown, string> => {
  const problem = problemOf(value)
  return problem === undefined ? Either.right(copied(value, bounds.values)) : Either.left(problem)
}
