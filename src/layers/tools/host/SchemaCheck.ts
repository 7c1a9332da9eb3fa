/**
 * Whether a JSON Schema means what its author thinks: a schema with a misspelt type or a bound that is no number would
 * refuse every call, and only the model would learn of it. Unknown keywords are allowed, as JSON Schema allows them.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../../../domain/Json.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import * as Text from "../../../domain/Text.ts"

/** A position in the schema, from the inside out: the parts of a large schema share what is above them. */
type Path = { readonly above: Path; readonly key: string | number } | undefined
/** What the value at a keyword has to be, where it is not. */
type Rule = (value: unknown) => string | undefined

const types = ["array", "boolean", "integer", "null", "number", "object", "string"]
const typeNames = types.map((name) => `"${name}"`).join(", ")
const isType = (value: unknown) => typeof value === "string" && types.includes(value)

const type: Rule = (value) => {
  const fits = Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)
  return fits ? undefined : `must be one of ${typeNames}, or a list of them`
}
const list: Rule = (value) => (Array.isArray(value) ? undefined : "must be an array")
const strings: Rule = (value) =>
  Array.isArray(value) && value.every(Predicate.isString) ? undefined : "must be an array of strings"
const text: Rule = (value) => (typeof value === "string" ? undefined : "must be a string")
const flag: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false")
const bound: Rule = (value) => (Number.isFinite(value) ? undefined : "must be a number")
/** Draft 4 has true or false here. */
const openBound: Rule = (value) => (typeof value === "boolean" ? undefined : bound(value))
const step: Rule = (value) => (typeof value === "number" && value > 0 ? undefined : "must be a number above 0")
const count: Rule = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? undefined : "must be a whole number from 0 on"
const pattern: Rule = (value) => {
  if (typeof value !== "string") return text(value)
  const compiled = Either.try(() => new RegExp(value, "u"))
  return Either.isRight(compiled) ? undefined : "must be a regular expression that compiles (with the flag u)"
}

const rules: Readonly<Record<string, Rule>> = {
  type,
  required: strings,
  enum: list,
  pattern,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: openBound,
  exclusiveMaximum: openBound,
  multipleOf: step,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  format: text,
  $ref: text
}

/** Keywords whose value is a schema, a list of them, or an object of them. */
const one = ["additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems"]
const single = new Set([...one, "not", "if", "then", "else", "contains", "propertyNames"])
const lists = new Set(["prefixItems", "allOf", "anyOf", "oneOf"])
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

/** `properties.size.type`, `anyOf[0].pattern` */
const render = (path: Path): string => {
  let text = ""
  for (let at = path; at !== undefined; at = at.above) {
    const isName = typeof at.key === "string" && at.above !== undefined
    text = (typeof at.key === "number" ? `[${at.key}]` : `${isName ? "." : ""}${at.key}`) + text
  }
  return text
}

const shortest = (value: unknown): string => {
  return Text.clip(Json.stringify(value) ?? String(value), 60)
}

const wrong = (path: Path, what: string, value: unknown): string =>
  `${path === undefined ? "it" : render(path)} ${what}, not ${shortest(value)}`

const unescape = (part: string): string =>
  Either.getOrElse(
    Either.try(() => decodeURIComponent(part)),
    () => part
  )
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")

const childOf = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value[Number(key)]
  return Predicate.isReadonlyRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const target = (root: JsonObject, pointer: string): unknown =>
  pointer.split("/").slice(1).map(unescape).reduce(childOf, root)

const isPointer = (ref: string) => ref === "#" || ref.startsWith("#/")

/** Follows references from one to the next. One that leads back to itself would be followed for ever. */
const refProblem = (root: JsonObject, first: string, good: Set<string>): string | undefined => {
  const seen = new Set<string>()
  for (let ref = first; isPointer(ref) && !good.has(ref);) {
    if (seen.has(ref)) return "leads back to itself"
    seen.add(ref)
    const found = target(root, ref)
    if (!Predicate.isReadonlyRecord(found) && typeof found !== "boolean") return "leads to no schema in it"
    if (!Predicate.isReadonlyRecord(found) || typeof found["$ref"] !== "string") break
    ref = found["$ref"]
  }
  for (const ref of seen) good.add(ref)
  return undefined
}

interface Found {
  readonly path: Path
  readonly schema: unknown
}

/** The schemas at a keyword, or what is wrong with it. */
const partsOf = (path: Path, keyword: string, value: unknown): Either.Either<ReadonlyArray<Found>, string> => {
  const here: Path = { above: path, key: keyword }
  const within = (key: string | number, schema: unknown): Found => ({ path: { above: here, key }, schema })
  const isList = lists.has(keyword) || (keyword === "items" && Array.isArray(value))
  if (isList) {
    const isEmpty = Array.isArray(value) && value.length === 0 && keyword !== "items"
    if (!Array.isArray(value) || isEmpty) return Either.left(wrong(here, "must be an array of schemas", value))
    return Either.right(value.map((schema: unknown, at) => within(at, schema)))
  }
  if (single.has(keyword) || keyword === "items") return Either.right([{ path: here, schema: value }])
  if (!named.has(keyword)) return Either.right([])
  if (!Predicate.isReadonlyRecord(value)) return Either.left(wrong(here, "must be an object of schemas", value))
  return Either.right(Object.entries(value).map(([name, schema]) => within(name, schema)))
}

/** The names by which references may call a schema. */
const namesOf = (schema: JsonObject): ReadonlyArray<unknown> => [schema["$anchor"], schema["$dynamicAnchor"]]
const hasId = ({ $id, id }: JsonObject) => typeof $id === "string" || typeof id === "string"

const keywordProblem = (path: Path, schema: JsonObject): string | undefined => {
  for (const [keyword, value] of Object.entries(schema)) {
    const what = Object.hasOwn(rules, keyword) ? rules[keyword]?.(value) : undefined
    if (what !== undefined) return wrong({ above: path, key: keyword }, what, value)
    if (keyword !== "patternProperties" || !Predicate.isReadonlyRecord(value)) continue
    for (const name of Object.keys(value)) {
      const problem = pattern(name)
      if (problem !== undefined) return wrong({ above: path, key: keyword }, `has a name that ${problem}`, name)
    }
  }
  return undefined
}

interface Ref {
  readonly path: Path
  readonly ref: string
}

const unresolved = (root: JsonObject, refs: ReadonlyArray<Ref>, names: ReadonlySet<unknown>): string | undefined => {
  const good = new Set<string>()
  for (const { path, ref } of refs) {
    const outside = names.has(ref.slice(1)) ? undefined : "leads out of the schema, and nothing is fetched"
    const problem = isPointer(ref) ? refProblem(root, ref, good) : outside
    if (problem !== undefined) return `${render({ above: path, key: "$ref" })} ${problem}: ${shortest(ref)}`
  }
  return undefined
}

const walk = (root: JsonObject): string | undefined => {
  const names = new Set<unknown>()
  const refs: Array<Ref> = []
  const open: Array<Found> = [{ path: undefined, schema: root }]
  let hasIds = false
  for (let found = open.pop(); found !== undefined; found = open.pop()) {
    const { path, schema } = found
    if (typeof schema === "boolean") continue
    if (!Predicate.isReadonlyRecord(schema)) return wrong(path, "must be a schema: an object, true or false", schema)
    const problem = keywordProblem(path, schema)
    if (problem !== undefined) return problem
    hasIds ||= hasId(schema)
    for (const name of namesOf(schema)) names.add(name)
    if (typeof schema["$ref"] === "string") refs.push({ path, ref: schema["$ref"] })
    for (const [keyword, value] of Object.entries(schema)) {
      const parts = partsOf(path, keyword, value)
      if (Either.isLeft(parts)) return parts.left
      for (const part of parts.right) open.push(part)
    }
  }
  // Where parts have ids of their own, references are relative to those, and only the validator resolves them.
  return hasIds ? undefined : unresolved(root, refs, names)
}

const allowsObjects = ({ type }: JsonObject): boolean =>
  type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))

/** What is wrong with a schema of arguments, and where; undefined if it can be used. */
export const problemOf = (schema: JsonObject): string | undefined => {
  const problem = JsonValue.problemOf(schema) ?? walk(schema)
  if (problem !== undefined || allowsObjects(schema)) return problem
  return wrong({ above: undefined, key: "type" }, 'must be "object", because arguments are one', schema["type"])
}
