import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { firstSuccess, inFiber } from "../../src/layers/Sharing.ts"

it.effect("is made once and kept", () =>
  Effect.gen(function* () {
    let times = 0
    const once = firstSuccess(Effect.sync(() => ++times))
    assert.deepStrictEqual(yield* Effect.all([once, once, once]), [1, 1, 1])
  })
)

it.effect("callers that come together get the same", () =>
  Effect.gen(function* () {
    const once = firstSuccess(Effect.as(Effect.yieldNow(), {}))
    const [one, other] = yield* Effect.all([once, once], { concurrency: 2 })
    assert.strictEqual(one, other)
  })
)

it.effect("a first caller who fails or is interrupted leaves it to the next, who is not interrupted by that", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<string, string>()
    const load = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate))
    const once = firstSuccess(Effect.uninterruptible(load))
    const first = yield* Effect.fork(once)
    yield* Deferred.await(begun)
    const stopping = yield* Effect.fork(Fiber.interrupt(first))
    yield* Effect.yieldNow()
    yield* Deferred.succeed(gate, "made")
    yield* Fiber.join(stopping)
    assert.strictEqual(yield* Effect.zipLeft(once, Effect.yieldNow()), "made")

    let attempts = 0
    const failing = firstSuccess(
      Effect.suspend(() => (attempts++ === 0 ? Effect.fail("no") : Effect.succeed(attempts)))
    )
    assert.strictEqual(yield* Effect.flip(failing), "no")
    assert.strictEqual(yield* failing, 2)
  })
)

it.effect("a value that is made in a fiber outlives the interrupt of a caller, and is there at once afterwards", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    let times = 0
    const scope = yield* Effect.scope
    const made = inFiber<number>(
      (effect) => Effect.runSync(Effect.forkIn(effect, scope)),
      Effect.map(Deferred.await(gate), () => ++times)
    )
    const [first, second] = [yield* Effect.fork(made.get), yield* Effect.fork(made.get)]
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(first)
    assert.isFalse(made.isDone())
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(second), 1)
    assert.isTrue(made.isDone())
    assert.strictEqual(Effect.runSync(made.get), 1)
  }).pipe(Effect.scoped)
)
