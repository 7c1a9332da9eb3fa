import { assert, describe, it } from "@effect/vitest"
import { coerce } from "../../../../src/layers/tools/foreign/Coercion.ts"

const one = (schema: unknown) => ({ type: "object", properties: { a: schema }, required: ["a"] })
const optional = (schema: unknown) => ({ type: "object", properties: { a: schema } })
const number = { type: "number" }
const integer = { type: "integer" }
const flag = { type: "boolean" }
const texts = { type: "array", items: { type: "string" } }
const kinds = {
  anyOf: [
    { type: "object", properties: { kind: { const: "size" }, value: number } },
    { type: "object", properties: { kind: { const: "name" }, value: { type: "string" } } }
  ]
}

/** A schema of the member `a`, its value, and the value that the tool gets. */
const mended: ReadonlyArray<readonly [schema: unknown, given: unknown, got: unknown]> = [
  [number, "5", 5],
  [number, " -1.5e2 ", -150],
  [integer, "5", 5],
  [integer, "5.0", 5],
  [flag, "true", true],
  [flag, "false", false],
  [texts, "x", ["x"]],
  [{ type: "array", items: integer }, "5", [5]],
  [{ type: "array", items: integer }, ["1", 2, "x"], [1, 2, "x"]],
  [{ type: ["number", "null"] }, "5", 5],
  [{ anyOf: [{ type: "null" }, number] }, "5", 5],
  [{ oneOf: [texts, flag] }, "true", ["true"]],
  [{ allOf: [number, { minimum: 1 }] }, "5", 5],
  [{ $ref: "#/$defs/count" }, "5", 5],
  [{ type: "object", additionalProperties: number }, { b: "5" }, { b: 5 }],
  [{ type: "array", prefixItems: [number], items: flag }, ["1", "true"], [1, true]],
  [{ type: "array", items: [number], additionalItems: flag }, ["1", "true"], [1, true]],
  [{ type: "object", properties: { b: optional(number) } }, { b: { a: "5" } }, { b: { a: 5 } }],
  [kinds, { kind: "size", value: "5" }, { kind: "size", value: 5 }],
  [kinds, { kind: "name", value: "5" }, { kind: "name", value: "5" }]
]

/** What stays as it is, for the check to judge. */
const kept: ReadonlyArray<readonly [schema: unknown, given: unknown]> = [
  [number, "five"],
  [number, ""],
  [number, "0x10"],
  [number, "Infinity"],
  [number, true],
  [integer, "5.5"],
  [integer, "12345678901234567890"],
  [flag, "yes"],
  [flag, 1],
  [{ type: "string" }, 5],
  [{ type: "string" }, "5"],
  [{ type: ["string", "number"] }, "5"],
  [{ anyOf: [number, { type: "string" }] }, "5"],
  [{ enum: [1, 2] }, "1"],
  [texts, null],
  [number, null],
  [{}, "5"],
  [true, "5"],
  [{ $ref: "#/$defs/none" }, "5"],
  [{ $ref: "https://example.org/schema" }, "5"]
]

const defs = { $defs: { count: integer } }

describe("coerce", () => {
  it.each(mended)("%j: %j becomes %j", (schema, given, got) => {
    const args = { a: given }
    const before = JSON.stringify(args)
    assert.deepStrictEqual(coerce({ ...one(schema), ...defs }, args), { a: got })
    assert.strictEqual(JSON.stringify(args), before)
  })

  it.each(kept)("%j: %j stays", (schema, given) => {
    const args = { a: given }
    assert.strictEqual(coerce({ ...one(schema), ...defs }, args), args)
  })

  it("null is dropped where a member may be absent and may not be null", () => {
    for (const schema of [number, texts, { enum: ["x"] }, { anyOf: [number, flag] }, { $ref: "#/$defs/count" }])
      assert.deepStrictEqual(coerce({ ...optional(schema), ...defs }, { a: null, b: null }), { b: null })
    const nullable = [{}, { type: ["number", "null"] }, { anyOf: [number, { type: "null" }] }, { enum: [null, 1] }]
    for (const schema of nullable) assert.deepStrictEqual(coerce(optional(schema), { a: null }), { a: null })
  })

  it("members with names of the language are members like any other", () => {
    const args = JSON.parse('{"__proto__":"5","a":"5"}')
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"},"a":{"type":"number"}}}')
    assert.strictEqual(JSON.stringify(coerce(schema, args)), '{"__proto__":5,"a":5}')
    assert.deepStrictEqual(coerce({ type: "object", properties: {} }, { toString: null }), { toString: null })
  })

  it("schemas that lead back to themselves come to an end", () => {
    const loops = [
      { $ref: "#" },
      { anyOf: [{ $ref: "#" }, { $ref: "#" }] },
      { allOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }], properties: { a: number } }
    ]
    for (const schema of loops) assert.isObject(coerce(schema, { a: "x", b: { a: "y" } }))
    const tree = { type: "object", properties: { a: number, next: { $ref: "#" } } }
    let deep: object = { a: "1" }
    let wanted: object = { a: 1 }
    for (let i = 0; i < 500; i++) [deep, wanted] = [{ next: deep }, { next: wanted }]
    assert.deepStrictEqual(coerce(tree, { next: deep }), { next: wanted })
  })

  it("a list that is very long is mended as far as the bound", () => {
    const items = Array.from({ length: 200_000 }, () => "1")
    const { a } = coerce(one({ type: "array", items: number }), { a: items })
    assert.isArray(a)
    assert.deepStrictEqual([Array.isArray(a) && a[0], Array.isArray(a) && a.at(-1)], [1, "1"])
  })
})
