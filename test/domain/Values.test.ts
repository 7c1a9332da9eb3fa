import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { defined, explain, once } from "../../src/domain/Values.ts"

it("keeps the members that have a value, in their order", () => {
  const members = { b: 1, left: undefined, a: null, empty: "", no: false, zero: 0 }
  assert.deepStrictEqual(Object.entries(defined(members)), [
    ["b", 1],
    ["a", null],
    ["empty", ""],
    ["no", false],
    ["zero", 0]
  ])
})

it("types members as optional, without undefined", () => {
  const text = (value: string | undefined): { readonly type: "x"; readonly text?: string } => ({
    type: "x",
    ...defined({ text: value })
  })
  assert.deepStrictEqual([text("a"), text(undefined)], [{ type: "x", text: "a" }, { type: "x" }])
})

it("makes a value once, even where it is undefined", () => {
  let made = 0
  const value = once(() => void made++)
  assert.strictEqual(made, 0)
  assert.deepStrictEqual([value(), value(), made], [undefined, undefined, 1])
})

it("explains each member on one line, and no more than a reader can use", () => {
  const decode = Schema.decodeUnknownEither(Schema.Struct({ a: Schema.Number, b: Schema.String }), { errors: "all" })
  const explained = (value: unknown) => Either.mapLeft(decode(value), explain)
  assert.deepStrictEqual(
    explained({ a: "x", b: 1 }),
    Either.left('a: Expected number, actual "x"; b: Expected string, actual 1')
  )
  const long = Either.flip(explained({ a: "x".repeat(10_000), b: "" }))
  assert.strictEqual(Either.getOrThrow(long).length, 2001)
})
