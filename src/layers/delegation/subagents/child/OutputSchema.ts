/** What the result of a task has to look like: a JSON Schema or a JSON Type Definition, ready to be shown and checked. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import * as ArgumentCheck from "../../../tools/host/ArgumentCheck.ts"
import * as SchemaCheck from "../../../tools/host/SchemaCheck.ts"
import * as TypeDefinition from "./TypeDefinition.ts"

export interface OutputSchema {
  /** As the member `result` of the parameters of a tool: its references count from the root of those. */
  readonly asResult: JsonObject
  /** What is wrong with a value; undefined if it fits. */
  readonly problemOf: (value: unknown) => string | undefined
}

/** Their values are data, in which `$ref` is an ordinary member. */
const data = new Set(["const", "default", "enum", "examples"])

const isPointer = (value: unknown): value is string =>
  typeof value === "string" && (value === "#" || value.startsWith("#/"))

/** The schema for another place than the root of its document. */
const rebase = (schema: unknown, to: string): unknown => {
  if (Array.isArray(schema)) return schema.map((part) => rebase(part, to))
  if (!Predicate.isReadonlyRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "$ref" && isPointer(value)) return [key, to + value.slice(1)]
      return [key, data.has(key) && !Predicate.isReadonlyRecord(value) ? value : rebase(value, to)]
    })
  )
}

const pointer = "#/properties/result"

const wrap = (schema: JsonObject): JsonObject => {
  // References in a schema with an id are relative to that id wherever it stands.
  const result = typeof schema["$id"] === "string" ? schema : rebase(schema, pointer)
  const { $schema } = schema
  return { ...(typeof $schema === "string" ? { $schema } : {}), type: "object", properties: { result } }
}

const refused = (why: string) =>
  `The output schema cannot be used: ${why}. Give a JSON Schema or a JSON Type Definition, or leave it out.`

const toJsonSchema = (schema: JsonObject) =>
  TypeDefinition.isTypeDefinition(schema) ? TypeDefinition.toJsonSchema(schema) : Either.right(schema)

const innerSchema = (wrapped: JsonObject): JsonObject => {
  const { properties } = wrapped
  const result = Predicate.isReadonlyRecord(properties) ? properties["result"] : undefined
  return Predicate.isReadonlyRecord(result) ? result : {}
}

/** Fails with a text for the model or the person who gave the schema. */
export const make = (schema: JsonObject): Either.Either<OutputSchema, string> =>
  Either.gen(function* () {
    const excess = JsonValue.problemOf(schema)
    if (excess !== undefined) return yield* Either.left(refused(`it ${excess}`))
    const wrapped = wrap(yield* Either.mapLeft(toJsonSchema(schema), refused))
    const problem = SchemaCheck.problemOf(wrapped)
    if (problem !== undefined) return yield* Either.left(refused(problem.replace(/^properties\.result\.?/, "").trim()))
    const made: OutputSchema = {
      asResult: innerSchema(wrapped),
      problemOf: (value) => ArgumentCheck.problemOf(wrapped, { result: value })
    }
    return made
  })
