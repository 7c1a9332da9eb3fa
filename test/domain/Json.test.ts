import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Json from "../../src/domain/Json.ts"

describe("parsePartial", () => {
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ["", undefined],
    ["{", {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a": tr', {}],
    ['{"a":"b', { a: "b" }],
    ['{"a":"b\\', { a: "b" }],
    ['{"a":"b\\u00', { a: "b" }],
    ['{"a":"b","c', { a: "b" }],
    ['{"a":[1,2', { a: [1] }],
    ['{"a":[{"b":"c', { a: [{ b: "c" }] }],
    ['{"a":{"b":1}', { a: { b: 1 } }],
    ['{"a":"}{"', { a: "}{" }],
    ["nonsense", undefined]
  ]
  for (const [text, expected] of cases) {
    it(`reads ${text === "" ? "nothing" : text}`, () => assert.deepStrictEqual(Json.parsePartial(text), expected))
  }

  it("never throws on a prefix of JSON, and reads the whole exactly", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, n) => {
        const text = JSON.stringify({ value })
        Json.parsePartial(text.slice(0, n % (text.length + 1)))
        assert.deepStrictEqual(Json.parsePartial(text), JSON.parse(text))
      })
    )
  })
})
