import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import * as Bridge from "../../../../../src/layers/pi/modules/host/Bridge.ts"

it.scoped("resolves with the value and rejects with the failure itself", () =>
  Effect.gen(function* () {
    const run = yield* Bridge.make
    const failure = new Error("no")
    assert.strictEqual(yield* Effect.promise(() => run(Effect.succeed(1))), 1)
    assert.strictEqual(yield* Effect.promise(() => run(Effect.fail(failure)).catch((error: unknown) => error)), failure)
  })
)

it.scoped("an abort interrupts, and the promise waits for the clean-up", () =>
  Effect.gen(function* () {
    const run = yield* Bridge.make
    const started = yield* Deferred.make<void>()
    const order: Array<string> = []
    const work = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Effect.sync(() => order.push("cleaned up")))
    )
    const controller = new AbortController()
    const running = run(work, controller.signal).catch((error: unknown) => order.push(String(error)))
    yield* Deferred.await(started)
    controller.abort()
    yield* Effect.promise(() => running)
    assert.deepStrictEqual(order, ["cleaned up", "Error: Operation aborted"])
  })
)

it.scoped("a signal that has aborted before stops the work at once", () =>
  Effect.gen(function* () {
    const run = yield* Bridge.make
    const outcome = yield* Effect.promise(() => run(Effect.never, AbortSignal.abort()).catch(String))
    assert.strictEqual(outcome, "Error: Operation aborted")
  })
)

it.effect("the end of its scope ends what still runs", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const run = yield* Scope.extend(Bridge.make, scope)
    const ended = yield* Deferred.make<string>()
    const started = yield* Deferred.make<void>()
    const work = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(ended, "interrupted"))
    )
    const running = run(work).catch(() => "rejected")
    yield* Deferred.await(started)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* Deferred.await(ended), "interrupted")
    assert.strictEqual(yield* Effect.promise(() => running), "rejected")
  })
)
