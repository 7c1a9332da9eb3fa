import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../../src/domain/conversation/Content.ts"
import { problemOf } from "../../../../src/layers/tools/host/SchemaCheck.ts"
import { bounds } from "../../../../src/domain/JsonScan.ts"

const anyType = 'must be one of "array", "boolean", "integer", "null", "number", "object", "string", or a list of them'

const refused: ReadonlyArray<readonly [schema: JsonObject, problem: string]> = [
  [{ type: "strnig" }, `type ${anyType}, not "strnig"`],
  [{ type: [] }, `type ${anyType}, not []`],
  [{ properties: { size: { type: "int" } } }, `properties.size.type ${anyType}, not "int"`],
  [{ properties: ["size"] }, 'properties must be an object of schemas, not ["size"]'],
  [{ properties: { size: "number" } }, 'properties.size must be a schema: an object, true or false, not "number"'],
  [{ properties: { size: { required: true } } }, "properties.size.required must be an array of strings, not true"],
  [{ required: ["a", 1] }, 'required must be an array of strings, not ["a",1]'],
  [{ items: "string" }, 'items must be a schema: an object, true or false, not "string"'],
  [{ items: [{ type: "x" }] }, `items[0].type ${anyType}, not "x"`],
  [{ anyOf: [] }, "anyOf must be an array of schemas, not []"],
  [{ anyOf: [{}, { enum: "a" }] }, 'anyOf[1].enum must be an array, not "a"'],
  [{ pattern: "(" }, 'pattern must be a regular expression that compiles (with the flag u), not "("'],
  [
    { patternProperties: { "[": {} } },
    'patternProperties has a name that must be a regular expression that compiles (with the flag u), not "["'
  ],
  [{ minimum: "1" }, 'minimum must be a number, not "1"'],
  [{ maxLength: -1 }, "maxLength must be a whole number from 0 on, not -1"],
  [{ multipleOf: 0 }, "multipleOf must be a number above 0, not 0"],
  [{ $ref: "#/$defs/a" }, '$ref leads to no schema in it: "#/$defs/a"'],
  [{ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, allOf: [{ $ref: "#/$defs/a" }] }, "itself"],
  [{ $ref: "https://example.com/a.json" }, "$ref leads out of the schema, and nothing is fetched"],
  [{ type: "string" }, 'type must be "object", because arguments are one, not "string"'],
  [{ not: { type: "a".repeat(100) } }, "…"]
]

const accepted: ReadonlyArray<JsonObject> = [
  {},
  { type: "object", properties: {}, required: [] },
  { type: ["object", "null"], additionalProperties: false, "x-order": 3 },
  { properties: { type: { type: "string", enum: ["a"] }, required: { type: "boolean" }, items: { items: true } } },
  { $defs: { "a/b": { type: "string" } }, properties: { one: { $ref: "#/$defs/a~1b" } } },
  { properties: { children: { type: "array", items: { $ref: "#" } } } },
  { $defs: { a: { $anchor: "name" } }, properties: { one: { $ref: "#name" } } },
  { $schema: "http://json-schema.org/draft-04/schema#", properties: { n: { minimum: 1, exclusiveMinimum: true } } },
  { enum: [{ type: "strnig" }], const: { properties: 1 }, default: { required: 2 }, examples: [{ items: 3 }] }
]

describe("SchemaCheck", () => {
  for (const [schema, problem] of refused) {
    it(`refuses ${JSON.stringify(schema).slice(0, 60)}`, () => assert.include(problemOf(schema) ?? "", problem))
  }

  for (const schema of accepted) {
    it(`accepts ${JSON.stringify(schema).slice(0, 60)}`, () => assert.isUndefined(problemOf(schema)))
  }

  it("refuses a schema that nests too deep, without exhausting the stack", () => {
    let schema: JsonObject = {}
    for (let depth = 0; depth < 100_000; depth++) schema = { not: schema }
    assert.include(problemOf(schema) ?? "", `${bounds.depth}`)
  })

  it("takes a wide schema with a long chain of references in one pass", () => {
    const many = 100_000
    const $defs = Object.fromEntries(
      Array.from({ length: many }, (_, at) => [`d${at}`, at + 1 === many ? {} : { $ref: `#/$defs/d${at + 1}` }])
    )
    assert.isUndefined(problemOf({ $defs, $ref: "#/$defs/d0" }))
  })
})
