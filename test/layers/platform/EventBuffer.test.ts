import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck, Fiber } from "effect"
import * as EventBuffer from "../../../src/layers/platform/EventBuffer.ts"

const read = (buffer: EventBuffer.EventBuffer<number, string>) =>
  Effect.gen(function* () {
    const all: Array<number> = []
    while (true) {
      const [events, done] = yield* buffer.takeAll
      all.push(...events)
      if (done) return all
    }
  })

describe("an event buffer", () => {
  it.effect("wakes its reader, says when it is full, and when there is room again", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make<number, string>(2)
      const taking = yield* Effect.fork(buffer.takeAll)
      yield* Effect.yieldNow()
      assert.isNull(taking.unsafePoll())
      assert.deepStrictEqual([buffer.offer(1), buffer.offer(2), buffer.offer(3)], [true, true, false])
      const room = buffer.room()
      assert.deepStrictEqual(yield* Fiber.join(taking), [[1, 2], false])
      yield* Effect.promise(() => room)
      assert.isTrue(buffer.offer(3))
      assert.deepStrictEqual(yield* buffer.takeAll, [[3], false])
    })
  )

  it.effect("tells of a failure after all that came before it; the first end counts", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make<number, string>(2)
      buffer.offer(1)
      buffer.done(Exit.fail("lost"))
      buffer.done(Exit.void)
      assert.isFalse(buffer.offer(2))
      assert.deepStrictEqual(yield* buffer.takeAll, [[1], false])
      assert.strictEqual(yield* Effect.flip(buffer.takeAll), "lost")
    })
  )

  it.effect("an end frees who waits for room, and wakes who waits for events", () =>
    Effect.gen(function* () {
      const full = EventBuffer.make<number, string>(0)
      const room = full.room()
      full.done(Exit.void)
      yield* Effect.promise(() => room)
      assert.isTrue(full.isOver())
      const empty = EventBuffer.make<number, string>(1)
      const taking = yield* Effect.fork(empty.takeAll)
      yield* Effect.yieldNow()
      empty.done(Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(taking), [[], true])
    })
  )

  it.effect("an interrupted reader loses nothing", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make<number, string>(2)
      const taking = yield* Effect.fork(buffer.takeAll)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(taking)
      buffer.offer(1)
      assert.deepStrictEqual(yield* buffer.takeAll, [[1], false])
    })
  )

  it.effect("hands events over in the moment they are offered, until the reader answers something", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make<number, string>(9)
      const seen: Array<number> = []
      const upTo = (last: number) =>
        buffer.each((event) => {
          seen.push(event)
          return event === last ? `saw ${event}` : undefined
        })
      buffer.offer(1)
      const first = yield* Effect.fork(upTo(3))
      yield* Effect.yieldNow()
      for (const event of [2, 3, 4, 5]) {
        buffer.offer(event)
        assert.strictEqual(seen.at(-1), Math.min(event, 3))
      }
      assert.strictEqual(yield* Fiber.join(first), "saw 3")
      assert.strictEqual(yield* upTo(4), "saw 4")
      buffer.done(Exit.void)
      assert.isUndefined(yield* upTo(6))
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
    })
  )

  it.effect("hands nothing to a reader that was interrupted, and its failures to nobody but itself", () =>
    Effect.gen(function* () {
      const buffer = EventBuffer.make<number, string>(9)
      const seen: Array<number> = []
      const reading = yield* Effect.fork(buffer.each((event) => void seen.push(event)))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(reading)
      assert.isTrue(buffer.offer(1))
      assert.deepStrictEqual(seen, [])
      const clumsy = yield* Effect.exit(
        buffer.each(() => {
          throw new Error("clumsy")
        })
      )
      assert.isTrue(Exit.isFailure(clumsy) && Cause.isDie(clumsy.cause))
      buffer.done(Exit.fail("lost"))
      assert.strictEqual(yield* Effect.flip(buffer.each(() => undefined)), "lost")
    })
  )

  it.effect.prop(
    "whatever the pace, everything arrives once and in order",
    [FastCheck.array(FastCheck.boolean(), { maxLength: 60 }), FastCheck.integer({ min: 1, max: 5 })],
    ([pauses, capacity]) =>
      Effect.gen(function* () {
        const buffer = EventBuffer.make<number, string>(capacity)
        const reading = yield* Effect.fork(read(buffer))
        for (const [n, pause] of pauses.entries()) {
          if (pause) yield* Effect.yieldNow()
          while (!buffer.offer(n)) yield* Effect.promise(buffer.room)
        }
        buffer.done(Exit.void)
        assert.deepStrictEqual(yield* Fiber.join(reading), [...pauses.keys()])
      })
  )
})
