/** A JSON Schema that foreign code made, as plain data: builders of schemas leave symbols and functions in their objects. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import * as JsonValue from "../../../domain/JsonValue.ts"
import * as ForeignValue from "../../platform/extensions/ForeignValue.ts"
import * as SchemaCheck from "../../host/SchemaCheck.ts"

const isData = (value: unknown) => value !== undefined && typeof value !== "function" && typeof value !== "symbol"

const copyOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter(isData).map(copyOf)
  return Predicate.isReadonlyRecord(value) ? copyOfObject(value) : value
}

const copyOfObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => isData(member))
      .map(([name, member]) => [name, copyOf(member)])
  )

/** Providers want the type, which tools without parameters leave out. */
const typed = (schema: JsonObject): JsonObject => ("type" in schema ? schema : { type: "object", ...schema })

/** The schema of arguments, or what is wrong with it. Unknown keywords stay. */
export const make = (given: unknown = {}): Either.Either<JsonObject, string> => {
  if (!Predicate.isReadonlyRecord(given)) return Either.left("it must be a JSON Schema object")
  // First of all, because a schema that contains itself has no end.
  const endless = JsonValue.problemOf(given)
  if (endless !== undefined) return Either.left(endless)
  return Either.flatMap(Either.try({ try: () => typed(copyOfObject(given)), catch: ForeignValue.shown }), (schema) => {
    const problem = SchemaCheck.problemOf(schema)
    return problem === undefined ? Either.right(schema) : Either.left(problem)
  })
}
