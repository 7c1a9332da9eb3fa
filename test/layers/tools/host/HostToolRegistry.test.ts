import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as HostToolRegistry from "../../../../src/layers/tools/host/HostToolRegistry.ts"
import type { HostTool } from "../../../../src/services/host/HostTools.ts"
import { HostTools } from "../../../../src/services/host/HostTools.ts"

const tool = (name: string, more: Partial<HostTool> = {}): HostTool => ({
  name,
  description: name,
  parameters: {},
  call: () => Effect.succeed({ content: [] }),
  ...more
})
const offered = Effect.flatMap(HostTools, ({ active }) =>
  Effect.map(active, (tools) => tools.map(({ definition }) => definition.name))
)

it.scoped("a set replaces itself as a whole, or not at all", () =>
  Effect.gen(function* () {
    const { join } = yield* HostTools
    const { replace } = yield* join
    assert.deepStrictEqual(yield* offered, [])
    assert.deepStrictEqual(yield* replace([tool("b"), tool("A"), tool("hid", { hidden: true })]), ["b", "A", "hid"])
    assert.deepStrictEqual(yield* offered, ["b", "A"])
    const refused = (...names: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flip(
          replace(
            names.map((name) => tool(name)),
            ["read"]
          )
        ),
        ({ name, reason }) => [reason, name]
      )
    assert.deepStrictEqual(yield* refused("x", "y", "x"), ["duplicate", "x"])
    assert.deepStrictEqual(yield* refused("x", "read"), ["conflict", "read"])
    const { message } = yield* Effect.flip(replace([tool("x"), tool("odd", { parameters: { type: "strnig" } })]))
    assert.match(message, /^Host tool "odd" has a JSON Schema that cannot be used: type must be one of/)
    assert.deepStrictEqual(yield* offered, ["b", "A"])
    assert.deepStrictEqual(yield* replace([tool("Read"), tool("b")], ["read"]), ["Read", "b"])
    assert.deepStrictEqual(yield* offered, ["Read", "b"])
    assert.deepStrictEqual(yield* replace([]), [])
    assert.deepStrictEqual(yield* offered, [])
  }).pipe(Effect.provide(HostToolRegistry.layer))
)

it.scoped("every source has a set of its own, which goes with its scope", () =>
  Effect.gen(function* () {
    const { join } = yield* HostTools
    const scope = yield* Scope.make()
    const host = yield* Scope.extend(join, scope)
    yield* host.replace([tool("editor")])
    assert.deepStrictEqual(yield* offered, ["own", "editor"])
    assert.strictEqual((yield* Effect.flip(host.replace([tool("own")]))).reason, "conflict")
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* offered, ["own"])
  }).pipe(Effect.provide(HostToolRegistry.layerOf([tool("own")])))
)
