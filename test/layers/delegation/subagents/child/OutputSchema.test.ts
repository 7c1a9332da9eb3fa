import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as OutputSchema from "../../../../../src/layers/delegation/subagents/child/OutputSchema.ts"

type Json = Readonly<Record<string, unknown>>
const schemaOf = (schema: Json) => Either.getOrThrow(OutputSchema.make(schema))
const refusal = (schema: Json) => Either.getOrThrow(Either.flip(OutputSchema.make(schema)))

/** Which of the values do not fit. */
const misfits = (schema: Json, ...values: ReadonlyArray<unknown>) =>
  values.filter((value) => schemaOf(schema).problemOf(value) !== undefined)

describe("a JSON Schema", () => {
  it("the problems of a value, with their places", () => {
    const schema = {
      type: "array",
      items: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
    }
    assert.isUndefined(schemaOf(schema).problemOf([{ n: 1 }]))
    assert.include(schemaOf(schema).problemOf([{ n: "x" }]), "result.0.n: ")
    assert.include(schemaOf(schema).problemOf([{}]), '"n"')
  })

  it("references count from the root of the schema", () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { down: { $ref: "#/$defs/node" } }, additionalProperties: false } }
    }
    assert.deepStrictEqual(misfits(tree, { down: { down: {} } }, { down: { up: 1 } }), [{ down: { up: 1 } }])
    assert.deepStrictEqual(misfits({ enum: [{ $ref: "#/a" }] }, { $ref: "#/a" }), [])
  })

  it("one that is wrong is refused", () => {
    assert.include(refusal({ type: "strin" }), "The output schema cannot be used: type must be one of")
    assert.include(refusal({ type: "object", properties: { a: { pattern: "(" } } }), "properties.a.pattern must be")
    assert.include(refusal({ $ref: "#/$defs/x" }), "leads to no schema")
  })
})

describe("a JSON Type Definition", () => {
  const cases: ReadonlyArray<
    readonly [form: string, schema: Json, good: ReadonlyArray<unknown>, bad: ReadonlyArray<unknown>]
  > = [
    ["empty", { values: {} }, [{ a: 1, b: null }], [[]]],
    ["type", { type: "uint8" }, [0, 255], [-1, 256, 1.5, "1"]],
    ["timestamp", { type: "timestamp" }, ["2026-01-02T03:04:05Z"], ["yesterday", 3]],
    ["enum", { elements: { enum: ["a", "b"] } }, [["a", "b"]], [["c"]]],
    ["elements", { elements: { type: "string" } }, [[], ["x"]], [[1], {}]],
    [
      "properties",
      { properties: { a: { type: "string" } }, optionalProperties: { b: { type: "float64" } } },
      [{ a: "x" }, { a: "x", b: 1.5 }],
      [{}, { a: 1 }, { a: "x", c: 1 }]
    ],
    ["additional", { properties: {}, additionalProperties: true }, [{ c: 1 }], [1]],
    ["values", { values: { type: "boolean" } }, [{}, { x: true }], [{ x: 1 }]],
    [
      "discriminator",
      {
        discriminator: "kind",
        mapping: { a: { properties: { n: { type: "int32" } } }, b: { optionalProperties: {} } }
      },
      [{ kind: "a", n: 1 }, { kind: "b" }],
      [{ kind: "a" }, { kind: "b", n: 1 }, { kind: "c" }, {}]
    ],
    [
      "ref",
      { definitions: { t: { optionalProperties: { down: { ref: "t" } } } }, ref: "t" },
      [{}, { down: { down: {} } }],
      [{ down: 1 }]
    ],
    ["nullable", { elements: { type: "string", nullable: true } }, [["a", null]], [[1]]]
  ]
  for (const [form, schema, good, bad] of cases)
    it(form, () => {
      assert.deepStrictEqual(misfits(schema, ...good, ...bad), [...bad])
    })

  it("one that is wrong is refused", () => {
    assert.include(refusal({ elements: { type: "text" } }), "schema.elements.type must be one of boolean")
    assert.include(refusal({ ref: "x" }), "schema.ref must be the name of one of the definitions")
    assert.include(refusal({ discriminator: "k", mapping: { a: { type: "string" } } }), "schema.mapping.a must have")
    assert.include(refusal({ elements: {}, values: {} }), "elements and values")
  })
})
