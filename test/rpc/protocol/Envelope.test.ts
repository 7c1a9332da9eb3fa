import { assert, it } from "@effect/vitest"
import * as Envelope from "../../../src/rpc/protocol/Envelope.ts"

it.each([
  ["a frame", { id: "a", type: "x", more: 1 }, { id: "a", type: "x" }],
  ["an id that is a number", { id: 7, type: "x" }, { id: 7, type: "x" }],
  ["an id that is neither text nor a number", { id: {}, type: "x" }, { type: "x" }],
  ["an id that no JSON has", { id: Infinity, type: "x" }, { type: "x" }],
  ["a type that is no text", { id: "a", type: 3 }, { id: "a" }],
  ["a list", [1], {}],
  ["null", null, {}],
  ["a number", 5, {}]
] as const)("%s", (_, value, expected) => {
  const { id, type } = Envelope.read(value)
  assert.deepStrictEqual({ ...(id === undefined ? {} : { id }), ...(type === undefined ? {} : { type }) }, expected)
})
