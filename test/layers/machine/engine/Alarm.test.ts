import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope, TestClock } from "effect"
import * as Alarm from "../../../../src/layers/machine/engine/Alarm.ts"

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

  it.scoped("that is quiet rings all the same", () =>
    Effect.gen(function* () {
      const alarm = yield* Alarm.makeQuiet
      let rung = 0
      alarm(1000, () => rung++)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(rung, 1)
    })
  )

  it("that is quiet does not keep a process alive", () => {
    const code = `
      import { Effect } from "effect"
      import * as Alarm from "./src/layers/machine/engine/Alarm.ts"
      const alarm = await Effect.runPromise(Effect.scoped(Alarm.makeQuiet))
      alarm(3_600_000, () => {})
      console.log("waiting")
    `
    const { signal, status, stdout } = spawnSync(process.execPath, ["-e", code], { encoding: "utf8", timeout: 30_000 })
    assert.deepStrictEqual({ signal, status, stdout }, { signal: null, status: 0, stdout: "waiting\n" })
  })
})
