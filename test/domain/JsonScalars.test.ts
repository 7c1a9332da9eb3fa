import { assert, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { scalarsOf } from "../../src/domain/JsonScalars.ts"

const isScalar = (value: unknown) => typeof value !== "object" || value === null

it("the scalars of an object are those of the parsed object, in any layout", () => {
  const scalar = fc.oneof(fc.string(), fc.constantFrom("\\", '"', "{[", '\\"', null, true, -1.5e-9, 0))
  const value = fc.oneof(
    scalar,
    fc.jsonValue().filter((each) => !isScalar(each))
  )
  const key = fc.oneof(fc.string(), fc.constantFrom("id", "type", '"', "\\"))
  fc.assert(
    fc.property(fc.dictionary(key, value, { noNullPrototype: true }), fc.constantFrom("", 1, "\t"), (object, space) => {
      const text = JSON.stringify(object, undefined, space)
      const whole: Record<string, unknown> = JSON.parse(text)
      assert.deepStrictEqual(
        [...scalarsOf(text)].toSorted(),
        Object.entries(whole)
          .filter(([, each]) => isScalar(each))
          .toSorted()
      )
    }),
    { seed: 9, numRuns: 1000 }
  )
})

it("text that is no object has none, and noise does no harm", () => {
  for (const text of ["", "[1,2]", '"id"', "12", "null", "{", '{"id', '{"id":'])
    assert.strictEqual(scalarsOf(text).size, 0)
  const noise = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", " ", "id"), { maxLength: 60 })
  fc.assert(
    fc.property(noise, (parts) => assert.isAtLeast(scalarsOf(parts.join("")).size, 0)),
    { seed: 9, numRuns: 2000 }
  )
})

it("reads past what is too deep or too much, and leaves out what is long", () => {
  const deep = "[".repeat(40_000) + "]".repeat(40_000)
  assert.deepStrictEqual(
    [...scalarsOf(`{"result":${deep},"long":"${"x".repeat(5000)}","id":"a","type":"host_tool_result"}`)],
    [
      ["id", "a"],
      ["type", "host_tool_result"]
    ]
  )
})
