import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope, TestClock } from "effect"
import * as Alarm from "../../../src/layers/platform/Alarm.ts"

describe("an alarm", () => {
  it.scoped("rings on the clock of the fiber that made it, once, and not when it was cancelled", () =>
    Effect.gen(function* () {
      const alarm = yield* Alarm.make
      const rung: Array<string> = []
      alarm(1000, () => rung.push("a"))
      const cancel = alarm(1000, () => rung.push("b"))
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(rung, [])
      cancel()
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(rung, ["a"])
    })
  )

  it.effect("that sleeps ends with its scope, also when it was made where nothing can be interrupted", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const alarm = yield* Effect.uninterruptible(Scope.extend(Alarm.make, scope))
      let rung = 0
      alarm(1000, () => rung++)
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(rung, 0)
    })
  )

  it.live("is a timer under the system's clock: no scope owns anything", () =>
    Effect.gen(function* () {
      const alarm = yield* Effect.scoped(Alarm.make)
      const rung = yield* Deferred.make<string>()
      const cancel = alarm(1, () => Deferred.unsafeDone(rung, Effect.succeed("cancelled")))
      cancel()
      alarm(2, () => Deferred.unsafeDone(rung, Effect.succeed("rung")))
      assert.strictEqual(yield* Deferred.await(rung), "rung")
    })
  )
})
