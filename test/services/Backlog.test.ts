import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Backlog from "../../src/services/Backlog.ts"

it.effect("takeAll waits for the first item and takes all; after end there is nothing", () =>
  Effect.gen(function* () {
    const backlog = Backlog.make<number>(10)
    const taking = yield* Effect.fork(backlog.takeAll)
    yield* Effect.yieldNow()
    assert.isNull(taking.unsafePoll())
    backlog.offer(1)
    backlog.offer(2)
    assert.deepStrictEqual(yield* Fiber.join(taking), [1, 2])
    backlog.offer(3)
    backlog.end()
    assert.deepStrictEqual(yield* backlog.takeAll, [3])
    assert.deepStrictEqual(yield* backlog.takeAll, [])
  })
)

it.effect("ready waits while more than the limit is left, and nothing is ever refused", () =>
  Effect.gen(function* () {
    const backlog = Backlog.make<number>(2)
    for (let i = 0; i < 5; i++) backlog.offer(i)
    const waiting = yield* Effect.fork(backlog.ready)
    yield* Effect.yieldNow()
    assert.isNull(waiting.unsafePoll())
    assert.strictEqual((yield* backlog.takeAll).length, 5)
    yield* Fiber.join(waiting)
    yield* backlog.ready
  })
)

it.effect("an interrupted takeAll loses nothing", () =>
  Effect.gen(function* () {
    const backlog = Backlog.make<number>(2)
    const taking = yield* Effect.fork(backlog.takeAll)
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(taking)
    backlog.offer(1)
    assert.deepStrictEqual(yield* backlog.takeAll, [1])
  })
)

it.effect("nobody waits for a reader that has left", () =>
  Effect.gen(function* () {
    const backlog = Backlog.make<number>(0)
    backlog.offer(1)
    const waiting = yield* Effect.fork(backlog.ready)
    yield* Effect.yieldNow()
    assert.isNull(waiting.unsafePoll())
    backlog.end()
    yield* Fiber.join(waiting)
    backlog.offer(2)
    yield* backlog.ready
  })
)

it.effect("a reader that slept takes what is there when it is roused, one that did not takes at once", () =>
  Effect.gen(function* () {
    const roused: Array<() => void> = []
    const backlog = Backlog.make<number>(2, (go) => void roused.push(go))
    const taking = yield* Effect.fork(backlog.takeAll)
    yield* Effect.yieldNow()
    backlog.offer(1)
    yield* Effect.yieldNow()
    assert.isNull(taking.unsafePoll())
    backlog.offer(2)
    for (const go of roused) go()
    assert.deepStrictEqual(yield* Fiber.join(taking), [1, 2])
    backlog.offer(3)
    assert.deepStrictEqual(yield* backlog.takeAll, [3])
    assert.strictEqual(roused.length, 1)
  })
)
