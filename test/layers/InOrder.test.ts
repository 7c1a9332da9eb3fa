import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { pipe } from "effect/Function"
import * as Layer from "effect/Layer"
import * as InOrder from "../../src/layers/InOrder.ts"

class Seed extends Context.Tag("test/Seed")<Seed, number>() {}
class First extends Context.Tag("test/First")<First, number>() {}
class Second extends Context.Tag("test/Second")<Second, number>() {}

const first = Layer.effect(
  First,
  Effect.map(Seed, (seed) => seed + 1)
)
const second = Layer.effect(
  Second,
  Effect.map(First, (value) => value * 10)
)

/** A Layer that writes down when it is built and when it is released. */
const noted = (told: Array<string>, name: string) =>
  Layer.scopedDiscard(
    Effect.acquireRelease(
      Effect.sync(() => told.push(`+${name}`)),
      () => Effect.sync(() => told.push(`-${name}`))
    )
  )

it.effect("gives each Layer the services of those before it, and what is provided from outside", () => {
  const row = pipe(InOrder.start(first), InOrder.add(second), InOrder.layer)
  return Effect.gen(function* () {
    assert.deepStrictEqual([yield* First, yield* Second], [5, 50])
  }).pipe(Effect.provide(Layer.provide(row, Layer.succeed(Seed, 4))))
})

it.effect("lets a later Layer replace a service for those after it", () => {
  const row = pipe(
    InOrder.start(Layer.succeed(First, 1)),
    InOrder.add(Layer.succeed(First, 2)),
    InOrder.add(second),
    InOrder.layer
  )
  return Effect.gen(function* () {
    assert.deepStrictEqual([yield* First, yield* Second], [2, 20])
  }).pipe(Effect.provide(row))
})

it.effect("builds a Layer that stands in the row twice once, and releases in the opposite order", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const shared = noted(told, "a")
    const row = pipe(InOrder.start(shared), InOrder.add(noted(told, "b")), InOrder.add(shared), InOrder.layer)
    yield* Effect.provide(
      Effect.sync(() => told.push("use")),
      row
    )
    assert.deepStrictEqual(told, ["+a", "+b", "use", "-b", "-a"])
  })
)

it.effect("releases the Layers before one that fails, and does not build those after it", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const broken = Layer.effectDiscard(Effect.fail("broken"))
    const row = pipe(InOrder.start(noted(told, "a")), InOrder.add(broken), InOrder.add(noted(told, "b")), InOrder.layer)
    assert.deepStrictEqual(yield* Effect.exit(Effect.provide(Effect.void, row)), Exit.fail("broken"))
    assert.deepStrictEqual(told, ["+a", "-a"])
  })
)

it.effect("builds all of them in the fiber of the one who builds the row", () =>
  Effect.gen(function* () {
    const fibers: Array<string> = []
    const note = () => Layer.effectDiscard(Effect.map(Effect.fiberId, (id) => fibers.push(JSON.stringify(id))))
    const own = JSON.stringify(yield* Effect.fiberId)
    yield* Effect.provide(Effect.void, pipe(InOrder.start(note()), InOrder.add(note()), InOrder.layer))
    assert.deepStrictEqual(fibers, [own, own])
  })
)
