import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scheduler } from "effect"
import * as KeyedLocks from "../../../../src/layers/tools/files/KeyedLocks.ts"

/** Goes on with any fiber after any step, as the seed has it. */
const seeded = (seed: number): Scheduler.Scheduler => {
  let state = seed
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const ready: Array<() => void> = []
  let isRunning = false
  const run = () => {
    while (ready.length > 0) for (const task of ready.splice(Math.floor(next() * ready.length), 1)) task()
    isRunning = false
  }
  return {
    shouldYield: () => (next() < 0.05 ? 0 : false),
    scheduleTask: (task) => {
      ready.push(task)
      if (!isRunning) queueMicrotask(run)
      isRunning = true
    }
  }
}

/** How many of four had each of two keys at once. */
const together = Effect.gen(function* () {
  const locked = KeyedLocks.make<string>()
  const most = new Map<string, number>()
  const inside = new Map<string, number>()
  const count = (key: string, by: number) =>
    Effect.sync(() => {
      const now = (inside.get(key) ?? 0) + by
      inside.set(key, now)
      most.set(key, Math.max(now, most.get(key) ?? 0))
    })
  const use = (key: string) =>
    locked(key)(Effect.zipRight(Effect.zipRight(count(key, 1), Effect.yieldNow()), count(key, -1)))
  yield* Effect.forEach(["a", "a", "b", "a", "b", "a", "b", "b"], use, { concurrency: "unbounded" })
  return [...most]
})

it("one at a time has a key, in whatever order the fibers go on", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const most = await Effect.runPromise(Effect.withScheduler(together, seeded(seed)))
    assert.deepStrictEqual(
      most.toSorted(),
      [
        ["a", 1],
        ["b", 1]
      ],
      `seed ${seed}`
    )
  }
})

it.effect("an interrupt ends the wait, and leaves the key to the next", () =>
  Effect.gen(function* () {
    const locked = KeyedLocks.make<string>()
    const go = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(locked("a")(Deferred.await(go)))
    yield* Effect.yieldNow()
    const waiting = yield* Effect.fork(locked("a")(Effect.die("must not run")))
    const next = yield* Effect.fork(locked("a")(Effect.succeed("next")))
    yield* Effect.yieldNow()
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(waiting)))
    assert.isNull(next.unsafePoll())
    yield* Deferred.succeed(go, undefined)
    assert.strictEqual(yield* Fiber.join(next), "next")
    yield* Fiber.join(holder)
  })
)

it.effect("a key that no one uses is let go of, after a success, a failure and an interrupt", () =>
  Effect.gen(function* () {
    const locked = KeyedLocks.make<object>()
    const keys: Array<WeakRef<object>> = []
    for (let n = 0; n < 300; n++) {
      const key = {}
      keys.push(new WeakRef(key))
      const work = [Effect.void, Effect.fail("no"), Effect.interrupt][n % 3] ?? assert.fail()
      yield* Effect.exit(locked(key)(work))
    }
    yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    Bun.gc(true)
    // The engine may still see the last ones on its stack.
    assert.isBelow(keys.filter((key) => key.deref() !== undefined).length, 30)
  })
)
