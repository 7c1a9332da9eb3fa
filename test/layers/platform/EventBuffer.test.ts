import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FastCheck, Fiber } from "effect"
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
