/** JSON Type Definition (RFC 8927) as JSON Schema, because models and the validator know only the latter. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"

type Made = Either.Either<JsonObject, string>

const integer = (minimum: number, maximum: number): JsonObject => ({ type: "integer", minimum, maximum })

const types: Readonly<Record<string, JsonObject>> = {
  boolean: { type: "boolean" },
  string: { type: "string" },
  timestamp: { type: "string", format: "date-time" },
  float32: { type: "number" },
  float64: { type: "number" },
  int8: integer(-128, 127),
  uint8: integer(0, 255),
  int16: integer(-32_768, 32_767),
  uint16: integer(0, 65_535),
  int32: integer(-2_147_483_648, 2_147_483_647),
  uint32: integer(0, 4_294_967_295)
}
const isType = (value: unknown): value is string => typeof value === "string" && Object.hasOwn(types, value)

/** Members that only JSON Schema has. */
const foreign = ["$schema", "$ref", "$defs", "$id", "required", "items", "anyOf", "oneOf", "allOf", "not", "const"]
/** Members that only a type definition has. */
const ownMembers = ["elements", "values", "optionalProperties", "discriminator", "ref", "nullable"]

/** A schema such as `{"type":"string"}` is the same in both languages, and counts as JSON Schema. */
export const isTypeDefinition = (schema: JsonObject): boolean => {
  if (foreign.some((key) => key in schema)) return false
  const { type } = schema
  if (type !== undefined && !isType(type)) return false
  if (type !== undefined && type !== "boolean" && type !== "string") return true
  return ownMembers.some((key) => key in schema) || ("properties" in schema && type === undefined)
}

interface SchemaLocation {
  readonly path: string
  readonly definitions: JsonObject
}

const at = ({ definitions, path }: SchemaLocation, key: string): SchemaLocation => ({
  definitions,
  path: `${path}.${key}`
})
const wrong = ({ path }: SchemaLocation, what: string) => Either.left(`${path} ${what}`)

const members = (
  schemas: unknown,
  location: SchemaLocation
): Either.Either<ReadonlyArray<readonly [string, JsonObject]>, string> => {
  if (!Predicate.isReadonlyRecord(schemas)) return wrong(location, "must be an object of type definitions")
  return Either.all(
    Object.entries(schemas).map(([name, schema]) =>
      Either.map(convert(schema, at(location, name)), (made) => [name, made] as const)
    )
  )
}

const object = (schema: JsonObject, location: SchemaLocation, tag?: readonly [name: string, value: string]): Made =>
  Either.map(
    Either.all([
      members(schema["properties"] ?? {}, at(location, "properties")),
      members(schema["optionalProperties"] ?? {}, at(location, "optionalProperties"))
    ]),
    ([required, optional]) => ({
      type: "object",
      properties: Object.fromEntries([
        ...(tag === undefined ? [] : [[tag[0], { const: tag[1] }] as const]),
        ...required,
        ...optional
      ]),
      required: [...(tag === undefined ? [] : [tag[0]]), ...required.map(([name]) => name)],
      ...(schema["additionalProperties"] === true ? {} : { additionalProperties: false })
    })
  )

const variants = ({ discriminator, mapping }: JsonObject, location: SchemaLocation): Made => {
  if (typeof discriminator !== "string") return wrong(at(location, "discriminator"), "must be the name of a member")
  const cases = Predicate.isReadonlyRecord(mapping) ? Object.entries(mapping) : []
  if (cases.length === 0)
    return wrong(at(location, "mapping"), "must be an object of type definitions, with at least one")
  const made = cases.map(([value, schema]): Made => {
    const here = at(at(location, "mapping"), value)
    if (!Predicate.isReadonlyRecord(schema) || !("properties" in schema || "optionalProperties" in schema))
      return wrong(here, "must have properties or optionalProperties")
    return object(schema, here, [discriminator, value])
  })
  return Either.map(Either.all(made), (anyOf) => ({ anyOf }))
}

const pointer = (name: string) => `#/$defs/${encodeURI(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`

const forms: Readonly<Record<string, (schema: JsonObject, location: SchemaLocation) => Made>> = {
  ref: ({ ref }, location) =>
    typeof ref === "string" && Object.hasOwn(location.definitions, ref)
      ? Either.right({ $ref: pointer(ref) })
      : wrong(at(location, "ref"), "must be the name of one of the definitions"),
  type: ({ type }, location) =>
    isType(type)
      ? Either.right({ ...types[type] })
      : wrong(at(location, "type"), `must be one of ${Object.keys(types).join(", ")}`),
  enum: ({ enum: values }, location) =>
    Array.isArray(values) && values.length > 0 && values.every(Predicate.isString)
      ? Either.right({ type: "string", enum: values })
      : wrong(at(location, "enum"), "must be a list of texts"),
  elements: ({ elements }, location) =>
    Either.map(convert(elements, at(location, "elements")), (items) => ({ type: "array", items })),
  properties: (schema, location) => object(schema, location),
  optionalProperties: (schema, location) => object(schema, location),
  values: ({ values }, location) =>
    Either.map(convert(values, at(location, "values")), (made) => ({ type: "object", additionalProperties: made })),
  discriminator: variants
}

/** Of the two members that one form may have, only the first counts. */
const formOf = (schema: JsonObject, location: SchemaLocation): Either.Either<string | undefined, string> => {
  const found = Object.keys(forms).filter(
    (form) => form in schema && !(form === "optionalProperties" && "properties" in schema)
  )
  return found.length > 1
    ? wrong(location, `has ${found.join(" and ")}, and may have only one of them`)
    : Either.right(found[0])
}

const describe = (schema: JsonObject, made: JsonObject): JsonObject => {
  const { metadata } = schema
  const description = Predicate.isReadonlyRecord(metadata) ? metadata["description"] : undefined
  return typeof description === "string" ? { ...made, description } : made
}

const convert = (schema: unknown, location: SchemaLocation): Made => {
  if (!Predicate.isReadonlyRecord(schema)) return wrong(location, "must be a type definition")
  return Either.flatMap(formOf(schema, location), (form) => {
    const made = form === undefined ? Either.right<JsonObject>({}) : forms[form]?.(schema, location)
    return Either.map(made ?? Either.right<JsonObject>({}), (plain) => {
      const isNullable = schema["nullable"] === true && form !== undefined
      return describe(schema, isNullable ? { anyOf: [plain, { type: "null" }] } : plain)
    })
  })
}

/** The JSON Schema that accepts the same values, or what is wrong with the definition. */
export const toJsonSchema = (schema: JsonObject): Made => {
  const { definitions = {} } = schema
  if (!Predicate.isReadonlyRecord(definitions)) return Either.left("definitions must be an object of type definitions")
  const root: SchemaLocation = { path: "schema", definitions }
  return Either.map(
    Either.all([convert(schema, root), members(definitions, { path: "definitions", definitions })]),
    ([made, defs]) => (defs.length === 0 ? made : { ...made, $defs: Object.fromEntries(defs) })
  )
}
