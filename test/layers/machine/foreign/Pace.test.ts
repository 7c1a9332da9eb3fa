import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Scope } from "effect"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as Pace from "../../../../src/layers/machine/foreign/Pace.ts"

const turns = (count: number) => Effect.repeatN(EventLoop.nextTurn, count - 1)

/** A clock that stands still but for work that takes a millisecond. */
const makeWork = () => {
  let nanos = 0n
  const clock: Clock.Clock = { ...Clock.make(), unsafeCurrentTimeNanos: () => nanos }
  const done: Array<number> = []
  const work = (number: number) => (ended: () => void) => {
    nanos += 1_000_000n
    done.push(number)
    ended()
  }
  const make = (ready: Effect.Effect<void>) => Effect.withClock(Pace.make(ready), clock)
  return { done, make, work }
}

const counted = (count: number) => Array.from({ length: count }, (_, number) => number)

describe("a pace", () => {
  it.scoped("lets four milliseconds of work go at once, and the rest in later turns, in order", () =>
    Effect.gen(function* () {
      const { done, make, work } = makeWork()
      const pace = yield* make(Effect.void)
      for (const number of counted(11)) pace.start(work(number))
      assert.deepStrictEqual([done.length, pace.isIdle()], [4, false])
      yield* EventLoop.nextTurn
      assert.strictEqual(done.length, 8)
      yield* pace.idle
      assert.deepStrictEqual(done, counted(11))
      assert.isTrue(pace.isIdle())
      yield* EventLoop.nextTurn
      pace.start(work(11))
      assert.strictEqual(done.at(-1), 11)
    })
  )

  it.scoped("starts nothing while the host is behind", () =>
    Effect.gen(function* () {
      const { done, make, work } = makeWork()
      const caughtUp = yield* Effect.makeLatch(false)
      const pace = yield* make(caughtUp.await)
      for (const number of counted(3)) pace.start(work(number))
      yield* turns(5)
      assert.deepStrictEqual(done, [])
      yield* caughtUp.open
      yield* pace.idle
      assert.deepStrictEqual(done, counted(3))
    })
  )

  it.scoped("starts one more in a turn while many have not ended", () =>
    Effect.gen(function* () {
      const { make, work } = makeWork()
      const pace = yield* make(Effect.void)
      for (const number of counted(4)) pace.start(work(number))
      let started = 0
      for (const _ of counted(100)) pace.start(() => started++)
      yield* turns(3)
      const before = started
      assert.isAtLeast(before, 16)
      yield* turns(10)
      assert.isAtMost(started - before, 11)
      assert.isAbove(started, before)
    })
  )

  it.effect("lets what waits go when its scope closes", () =>
    Effect.gen(function* () {
      const { done, make, work } = makeWork()
      const scope = yield* Scope.make()
      const pace = yield* Scope.extend(make(Effect.never), scope)
      for (const number of counted(3)) pace.start(work(number))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(done, counted(3))
      yield* pace.idle
    })
  )
})
