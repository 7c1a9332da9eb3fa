import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import * as FileLedger from "../../../../src/layers/tools/files/FileLedger.ts"

it("a version is stale when the session has seen another one last", () => {
  const ledger = FileLedger.make()
  assert.isFalse(ledger.isStale("/a", "1"))
  ledger.saw("/a", "1")
  assert.deepStrictEqual(
    [ledger.isStale("/a", "1"), ledger.isStale("/a", "2"), ledger.isStale("/b", "2")],
    [false, true, false]
  )
  ledger.saw("/a", "2")
  assert.isFalse(ledger.isStale("/a", "2"))
})

it.effect("one at a time for a path, in order; other paths do not wait", () =>
  Effect.gen(function* () {
    const ledger = FileLedger.make()
    const log: Array<string> = []
    const work = (path: string, name: string) =>
      Effect.sync(() => log.push(`${name} begins`)).pipe(
        Effect.zipRight(Effect.sleep("1 second")),
        Effect.zipRight(Effect.sync(() => log.push(`${name} ends`))),
        ledger.exclusively(path)
      )
    yield* Effect.fork(Effect.all([work("/a", "1"), work("/a", "2"), work("/b", "3")], { concurrency: 3 }))
    yield* TestClock.adjust("1 second")
    assert.sameMembers(log.splice(0), ["1 begins", "3 begins", "1 ends", "3 ends", "2 begins"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(log, ["2 ends"])
  })
)

it.effect("an interrupt, of the holder or of one who waits, and a failure let the next one in", () =>
  Effect.gen(function* () {
    const ledger = FileLedger.make()
    const started = yield* Deferred.make<void>()
    const hold = ledger.exclusively("/a")(Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
    const holder = yield* Effect.fork(hold)
    yield* Deferred.await(started)
    const waiting = yield* Effect.fork(ledger.exclusively("/a")(Effect.die("must not run")))
    yield* Effect.yieldNow()
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(waiting)))
    yield* Fiber.interrupt(holder)
    assert.strictEqual(yield* Effect.flip(ledger.exclusively("/a")(Effect.fail("no"))), "no")
    assert.strictEqual(yield* ledger.exclusively("/a")(Effect.succeed(1)), 1)
  })
)
