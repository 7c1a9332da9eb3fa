import { assert, it } from "@effect/vitest"
import { defined } from "../../src/domain/Values.ts"

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
