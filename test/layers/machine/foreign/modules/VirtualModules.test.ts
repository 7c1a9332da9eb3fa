import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as VirtualModules from "../../../../../src/layers/machine/foreign/modules/VirtualModules.ts"
import { get } from "../../../../support/extensions/Calling.ts"
import { importing, requiring } from "../../../../support/extensions/Importing.ts"

it.effect("a module is made at its first import, once for import and require", () =>
  Effect.gen(function* () {
    let made = 0
    const value = {}
    yield* VirtualModules.serve(new Map([["heddle-test/once", () => ({ value, count: ++made })]]))
    assert.strictEqual(made, 0)
    const imported = yield* Effect.promise(() => importing("heddle-test/once"))
    assert.deepStrictEqual([get(imported, "value") === value, get(imported, "count")], [true, 1])
    assert.strictEqual(get(requiring("heddle-test/once"), "value"), value)
    assert.strictEqual(made, 1)
  })
)

it.effect("what is served stays, whoever serves it again", () =>
  Effect.gen(function* () {
    yield* VirtualModules.serve(new Map([["heddle-test/first", () => ({ by: "first" })]]))
    yield* VirtualModules.serve(
      new Map([
        ["heddle-test/first", () => ({ by: "second" })],
        ["heddle-test/second", () => ({ by: "second" })]
      ])
    )
    const both = yield* Effect.promise(() =>
      Promise.all([importing("heddle-test/first"), importing("heddle-test/second")])
    )
    assert.deepStrictEqual(
      both.map((module) => get(module, "by")),
      ["first", "second"]
    )
  })
)
