import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import * as Alarm from "../../../src/layers/platform/Alarm.ts"

const make = Effect.zipWith(Effect.clock, Effect.scope, (clock, scope) => Alarm.use(clock, scope, Effect.succeed)).pipe(
  Effect.flatten
)

describe("an alarm", () => {
  it.scoped("rings on the clock of the fiber that asked, once, and not when it was taken back", () =>
    Effect.gen(function* () {
      const alarm = yield* make
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

  it.live("is a timer under the system's clock: no scope owns anything", () =>
    Effect.gen(function* () {
      const alarm = yield* make
      const rung = yield* Deferred.make<string>()
      const cancel = alarm(1, () => Deferred.unsafeDone(rung, Effect.succeed("taken back")))
      cancel()
      alarm(2, () => Deferred.unsafeDone(rung, Effect.succeed("rung")))
      assert.strictEqual(yield* Deferred.await(rung), "rung")
    }).pipe(Effect.scoped)
  )
})
