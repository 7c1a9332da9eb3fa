import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Backpressure from "../../../src/services/fibers/Backpressure.ts"

const filled = (count: number, lead: number) =>
  Effect.gen(function* () {
    const queue = yield* Mailbox.make<number>()
    for (let item = 0; item < count; item++) queue.unsafeOffer(item)
    return { queue, ...Backpressure.make(Backpressure.sizeOf(queue), lead) }
  })

it.effect("a producer goes on while no more than the lead waits", () =>
  Effect.gen(function* () {
    const { ready } = yield* filled(2, 2)
    yield* ready
  })
)

it.effect("a producer that is too far ahead waits until the consumer has caught up", () =>
  Effect.gen(function* () {
    const { caughtUp, queue, ready } = yield* filled(3, 2)
    const waiting = yield* Effect.fork(ready)
    yield* Effect.yieldNow()
    assert.isNull(waiting.unsafePoll())
    yield* queue.takeAll
    yield* caughtUp
    yield* Fiber.join(waiting)
    yield* ready
  })
)

it.effect("all producers that wait go on together, and wait again when they are too far ahead again", () =>
  Effect.gen(function* () {
    const { caughtUp, ready } = yield* filled(3, 2)
    const two = yield* Effect.forEach([ready, ready], Effect.fork)
    yield* Effect.yieldNow()
    yield* caughtUp
    yield* Fiber.joinAll(two)
    const again = yield* Effect.fork(ready)
    yield* Effect.yieldNow()
    assert.isNull(again.unsafePoll())
    yield* Fiber.interrupt(again)
  })
)

it.effect("a queue that was closed holds nobody back", () =>
  Effect.gen(function* () {
    const { queue, ready } = yield* filled(3, 2)
    yield* queue.shutdown
    yield* ready
  })
)
