/**
 * Mends arguments that models send in a neighbouring type: numeric strings, "true", one value where a list is expected,
 * and null for a member that may be absent. Whatever cannot be mended stays, and the check of arguments names it.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../domain/conversation/Content.ts"

/** Schemas that are looked at for one call, and from one schema to the next without a step into the value. */
const most = 100_000
const mostHops = 16

interface Walk {
  readonly root: JsonObject
  left: number
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const typesOf = ({ type }: JsonObject): ReadonlyArray<unknown> | undefined =>
  type === undefined ? undefined : Array.isArray(type) ? type : [type]

const isOf = (type: unknown, value: unknown): boolean => {
  switch (type) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return Predicate.isReadonlyRecord(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const numeral = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i

const toNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" && numeral.test(value) ? Number(value) : undefined
  // A long id would become another one.
  return number === undefined || !Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER
    ? undefined
    : number
}

/** The value in this type; undefined where it has none. */
const converted = (type: unknown, value: unknown): unknown => {
  if (type === "number" || type === "integer") {
    const number = toNumber(value)
    return type === "number" || Number.isInteger(number) ? number : undefined
  }
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : undefined
  return type === "array" && value !== null ? [value] : undefined
}

const step = (value: unknown, key: string): unknown =>
  (Predicate.isReadonlyRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined

/** The schema that a reference within the schema leads to. */
const follow = ({ root }: Walk, ref: string): unknown =>
  ref.startsWith("#/")
    ? ref
        .slice(2)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce<unknown>(step, root)
    : ref === "#"
      ? root
      : undefined

const resolved = (walk: Walk, schema: unknown): unknown =>
  Predicate.isReadonlyRecord(schema) && typeof schema["$ref"] === "string" ? follow(walk, schema["$ref"]) : schema

/** Whether the value is of the kind that a branch describes: its type, its constant, and those of its members. */
const suits = (walk: Walk, branch: unknown, value: unknown): boolean => {
  const schema = resolved(walk, branch)
  if (!Predicate.isReadonlyRecord(schema)) return schema === true
  if (typesOf(schema)?.some((type) => isOf(type, value)) === false) return false
  if ("const" in schema && schema["const"] !== value) return false
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false
  if (!Predicate.isReadonlyRecord(value)) return true
  const members = Predicate.isReadonlyRecord(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return members.every(
    ([name, member]) =>
      !Predicate.isReadonlyRecord(member) || !("const" in member) || value[name] === member["const"] || !(name in value)
  )
}

const allowsNull = (walk: Walk, given: unknown): boolean => {
  const schema = resolved(walk, given)
  if (!Predicate.isReadonlyRecord(schema)) return schema !== false
  const branches = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
  if (branches.length > 0) return branches.some((branch) => suits(walk, branch, null))
  return schema["nullable"] === true || suits(walk, schema, null)
}

/** The same value if nothing in it had to change. */
const object = (walk: Walk, schema: JsonObject, value: JsonObject): JsonObject => {
  const members = Predicate.isReadonlyRecord(schema["properties"]) ? schema["properties"] : {}
  const required = new Set(listOf(schema["required"]))
  let changed = false
  const entries: Array<readonly [string, unknown]> = []
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(members, name) ? members[name] : schema["additionalProperties"]
    const isDropped = member === null && own !== undefined && !required.has(name) && !allowsNull(walk, own)
    const mended = isDropped ? undefined : mend(walk, own, member, 0)
    changed ||= isDropped || mended !== member
    if (!isDropped) entries.push([name, mended])
  }
  return changed ? Object.fromEntries(entries) : value
}

const array = (walk: Walk, schema: JsonObject, value: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const { items } = schema
  const places = Array.isArray(items) ? items : listOf(schema["prefixItems"])
  const rest = Array.isArray(items) ? schema["additionalItems"] : items
  const mended = value.map((item, at) => mend(walk, at < places.length ? places[at] : rest, item, 0))
  return mended.some((item, at) => item !== value[at]) ? mended : value
}

/** The first branch that suits the value mends it; else the first one that the value can be mended for. */
const branch = (walk: Walk, branches: ReadonlyArray<unknown>, value: unknown, hops: number): unknown => {
  const fitting = branches.find((schema) => suits(walk, schema, value))
  if (fitting !== undefined) return mend(walk, fitting, value, hops + 1)
  for (const schema of branches) {
    const mended = mend(walk, schema, value, hops + 1)
    if (mended !== value && suits(walk, schema, mended)) return mended
  }
  return value
}

const ofType = (schema: JsonObject, value: unknown): unknown => {
  const types = typesOf(schema)
  if (types === undefined || types.some((type) => isOf(type, value))) return value
  for (const type of types) {
    const other = converted(type, value)
    if (other !== undefined) return other
  }
  return value
}

const mend = (walk: Walk, schema: unknown, given: unknown, hops: number): unknown => {
  if (!Predicate.isReadonlyRecord(schema) || hops > mostHops || walk.left-- <= 0) return given
  let value = given
  if (typeof schema["$ref"] === "string") value = mend(walk, follow(walk, schema["$ref"]), value, hops + 1)
  for (const part of listOf(schema["allOf"])) value = mend(walk, part, value, hops + 1)
  for (const branches of [listOf(schema["anyOf"]), listOf(schema["oneOf"])])
    if (branches.length > 0) value = branch(walk, branches, value, hops)
  value = ofType(schema, value)
  if (Array.isArray(value)) return array(walk, schema, value)
  return Predicate.isReadonlyRecord(value) ? object(walk, schema, value) : value
}

/** The arguments as the schema wants them, as far as that is known. */
export const coerce = (schema: JsonObject, args: JsonObject): JsonObject => {
  const mended = Either.try(() => mend({ root: schema, left: most }, schema, args, 0))
  return Either.isRight(mended) && Predicate.isReadonlyRecord(mended.right) ? mended.right : args
}
