import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as JsonValue from "../../src/domain/JsonValue.ts"

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))
const circular = () => {
  const value: Record<string, unknown> = { a: 1 }
  value["left"] = value["right"] = value
  return value
}
const throwing = {
  toJSON: () => {
    throw new Error("no JSON of me")
  }
}

describe("problemOf", () => {
  it("has nothing against JSON", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => assert.isUndefined(JsonValue.problemOf(value))))
    assert.isUndefined(JsonValue.problemOf({ at: new Date(0), none: undefined }))
  })

  it("finds what cannot be encoded, and what is too deep or too much", () => {
    assert.isUndefined(JsonValue.problemOf(nested(512)))
    assert.strictEqual(JsonValue.problemOf(nested(513)), "nested deeper than 512 levels")
    assert.strictEqual(JsonValue.problemOf(nested(100_000)), "nested deeper than 512 levels")
    assert.isUndefined(JsonValue.problemOf(Array.from({ length: 999_999 }, () => 1)))
    assert.strictEqual(JsonValue.problemOf(Array.from({ length: 1_000_000 }, () => 1)), "more than 1000000 values")
    assert.strictEqual(JsonValue.problemOf(circular()), "more than 1000000 values")
    assert.strictEqual(JsonValue.problemOf({ a: [1n] }), "holds a BigInt")
    assert.strictEqual(JsonValue.problemOf({ a: throwing }), "Error: no JSON of me")
    const getter = Object.defineProperty({}, "a", { enumerable: true, get: throwing.toJSON })
    assert.strictEqual(JsonValue.problemOf({ a: getter }), "Error: no JSON of me")
  })
})

describe("snapshot", () => {
  const copied = (value: unknown) => JsonValue.snapshot(value, 100)

  it("is what a file would give back, and no longer the sender's", () => {
    const sent = { list: [1], at: new Date(0), none: undefined }
    const copy = copied(sent)
    sent.list.push(2)
    assert.deepStrictEqual(copy, Either.right({ list: [1], at: "1970-01-01T00:00:00.000Z" }))
    assert.deepStrictEqual(copied(undefined), Either.right(undefined))
    assert.deepStrictEqual(
      copied(() => 1),
      Either.right(undefined)
    )
  })

  it("refuses what has no JSON, and what is too long", () => {
    assert.deepStrictEqual(copied({ a: 1n }), Either.left("holds a BigInt"))
    assert.deepStrictEqual(copied(circular()), Either.left("more than 1000000 values"))
    assert.deepStrictEqual(copied("x".repeat(98)), Either.right("x".repeat(98)))
    assert.deepStrictEqual(copied("x".repeat(99)), Either.left("longer than 100 characters of JSON"))
  })
})

describe("encodable", () => {
  it("leaves JSON as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) =>
        assert.strictEqual(JSON.stringify(JsonValue.encodable(value)), JSON.stringify(value))
      )
    )
    assert.deepStrictEqual(JsonValue.encodable({ at: new Date(0) }), { at: "1970-01-01T00:00:00.000Z" })
  })

  it("replaces only what cannot be encoded", () => {
    assert.deepStrictEqual(JsonValue.encodable({ big: 12n, bad: throwing, good: [1] }), {
      big: "12",
      bad: "[Error: no JSON of me]",
      good: [1]
    })
    assert.include(JSON.stringify(JsonValue.encodable({ a: nested(100_000) })), "[nested deeper than 512 levels]")
    assert.include(JSON.stringify(JsonValue.encodable(circular())), '"a":1')
  })
})
