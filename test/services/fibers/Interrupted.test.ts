import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Interrupted from "../../../src/services/fibers/Interrupted.ts"

it.effect("a fiber that nobody has asked to stop says no", () =>
  Effect.gen(function* () {
    assert.isFalse(yield* Interrupted.isRequested)
  })
)

it.effect("a masked fiber that was asked to stop says so before it stops", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const seen: Array<boolean> = []
    const note = Effect.map(Interrupted.isRequested, (isAsked) => void seen.push(isAsked))
    const work = Effect.all([note, Deferred.succeed(begun, undefined), Deferred.await(go), note], { discard: true })
    const fiber = yield* Effect.fork(Effect.uninterruptible(work))
    yield* Deferred.await(begun)
    yield* Fiber.interruptFork(fiber)
    yield* Effect.yieldNow()
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.await(fiber)
    assert.deepStrictEqual(seen, [false, true])
  })
)
