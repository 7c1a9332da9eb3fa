import { assert, it } from "@effect/vitest"
import * as ArgumentCheck from "../../../../src/layers/tools/host/ArgumentCheck.ts"

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } }
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { tag: { enum: ["a", "b"] } }
}

const cases: ReadonlyArray<readonly [schema: object, args: object, problem: RegExp | undefined]> = [
  [{}, { anything: [1] }, undefined],
  [person, { name: "x", age: 3, tags: ["a"] }, undefined],
  [person, {}, /^Instance does not have required property "name"\.$/],
  [person, { name: 5 }, /^name: Instance type "number" is invalid\. Expected "string"\.$/],
  [person, { name: "x", age: 1.5, tags: ["a", "c"] }, /^age: .*integer.* tags\.1: .*$/],
  [person, { name: "x", else: 1 }, /else/],
  [person, { age: -1, tags: ["c"] }, /^Instance does not have required property "name"\. age: .* tags\.0: .*$/],
  [{ type: "object", properties: { "a/b": { const: 1 } } }, { "a/b": 2 }, /^a\/b: /],
  [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { b: 1 }, undefined],
  [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { c: 1 }, /required property/],
  [{ properties: { a: { items: [{ type: "string" }] } } }, { a: ["x", 1] }, undefined],
  [
    { $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { items: [{ type: "string" }] } } },
    { a: [1] },
    /^a\.0: /
  ],
  // A schema that is none is the host's mistake; a call that could not be checked is not made.
  [{ properties: { a: { pattern: "(" } } }, { a: "x" }, /cannot be used/],
  [{ properties: { a: { $ref: "#/$defs/none" } } }, { a: "x" }, /cannot be used/]
]

it.each(cases)("%j with %j", (schema, args, problem) => {
  const before = JSON.stringify(schema)
  const found = ArgumentCheck.problemOf({ ...schema }, { ...args })
  if (problem === undefined) assert.isUndefined(found)
  else assert.match(found ?? "nothing", problem)
  assert.deepStrictEqual(Reflect.ownKeys(schema), Object.keys(schema))
  assert.strictEqual(JSON.stringify(schema), before)
})

it("names a few problems, not hundreds", () => {
  const args = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))
  const problem = ArgumentCheck.problemOf({ additionalProperties: { type: "string" } }, args)
  assert.isBelow(problem?.length ?? 0, 500)
})
