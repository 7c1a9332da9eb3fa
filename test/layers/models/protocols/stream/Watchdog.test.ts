import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import * as Alarm from "../../../../../src/layers/machine/engine/Alarm.ts"
import * as Watchdog from "../../../../../src/layers/models/protocols/stream/Watchdog.ts"

const deadlines: Watchdog.Deadlines = { firstEventMs: 1300, idleMs: 500, totalMs: 5000 }

const watching = Effect.gen(function* () {
  const ended = yield* Deferred.make<Watchdog.Expired | undefined>()
  const watchdog = Watchdog.make({
    deadlines,
    clock: yield* Effect.clock,
    alarm: yield* Alarm.make,
    onEnd: (expired) => Deferred.unsafeDone(ended, Effect.succeed(expired))
  })
  /** Moves the clock up to the deadline: it must not pass a millisecond early. */
  const expiresAfter = Effect.fnUntraced(function* (ms: number) {
    yield* TestClock.adjust(ms - 1)
    assert.isFalse(yield* Deferred.isDone(ended))
    yield* TestClock.adjust(1)
    return yield* Deferred.await(ended)
  })
  return { ended, expiresAfter, watchdog }
})

const expired = (deadline: Watchdog.Expired["deadline"], afterMs: number) => new Watchdog.Expired({ deadline, afterMs })

describe("a watchdog", () => {
  it.scoped("gives the server time for its first bytes", () =>
    Effect.gen(function* () {
      const { expiresAfter } = yield* watching
      assert.deepStrictEqual(yield* expiresAfter(1300), expired("first_event", 1300))
    })
  )

  it.scoped.each([0, 1, 499, 500, 501, 999, 1000, 1299])("counts silence from the first bytes, after %d ms", (ms) =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      yield* TestClock.adjust(ms)
      watchdog.touch()
      assert.deepStrictEqual(yield* expiresAfter(500), expired("idle", 500))
    })
  )

  it.scoped("counts silence from the last bytes", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      for (const ms of [300, 499, 1]) {
        watchdog.touch()
        yield* TestClock.adjust(ms)
      }
      watchdog.touch()
      assert.deepStrictEqual(yield* expiresAfter(500), expired("idle", 500))
    })
  )

  it.scoped("does not count silence while our own reader is behind", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      watchdog.touch()
      watchdog.setWaiting(true)
      yield* TestClock.adjust("3 seconds")
      watchdog.setWaiting(false)
      assert.deepStrictEqual(yield* expiresAfter(500), expired("idle", 500))
    })
  )

  it.scoped("lets the total deadline pass although bytes come", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(400), Effect.sync(watchdog.touch))))
      assert.deepStrictEqual(yield* expiresAfter(5000), expired("total", 5000))
    })
  )

  it.scoped("lets the total deadline pass although our own reader is behind", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      watchdog.setWaiting(true)
      assert.deepStrictEqual(yield* expiresAfter(5000), expired("total", 5000))
    })
  )

  it.scoped("gives a finished stream the shortest time that was asked for, whatever still comes", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      watchdog.finish(400)
      watchdog.finish(200)
      watchdog.finish(300)
      yield* TestClock.adjust("100 millis")
      watchdog.touch()
      assert.isUndefined(yield* expiresAfter(100))
    })
  )

  it.scoped("says nothing against a stream that had finished when the total deadline came", () =>
    Effect.gen(function* () {
      const { expiresAfter, watchdog } = yield* watching
      watchdog.setWaiting(true)
      yield* TestClock.adjust("4900 millis")
      watchdog.finish(400)
      assert.isUndefined(yield* expiresAfter(100))
    })
  )

  it.scoped("that is stopped says nothing", () =>
    Effect.gen(function* () {
      const { ended, watchdog } = yield* watching
      watchdog.touch()
      watchdog.stop()
      yield* TestClock.adjust("2 hours")
      assert.isFalse(yield* Deferred.isDone(ended))
    })
  )

  it.each([
    [expired("first_event", 300_000), "sent nothing for 300 s after the request"],
    [expired("idle", 120_000), "stopped sending for 120 s"],
    [expired("total", 5000), "did not finish within 5 s"]
  ])("says which deadline passed", (passed, text) => assert.strictEqual(Watchdog.describe(passed), text))
})
