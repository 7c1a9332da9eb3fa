import { assert, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Mailbox, Scope, Exit, Stream } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as EventHub from "../../../../src/layers/agent/events/EventHub.ts"

const event = (turnIndex: number): AgentEvent => ({ _tag: "TurnStarted", runId: "r", turnIndex, timestamp: 0 })
const events = (count: number) => Array.from({ length: count }, (_, i) => event(i))

/** Publishes more than a reader may leave unread, and returns a fiber that waits for the hub. */
const overwhelm = Effect.fnUntraced(function* (hub: EventHub.EventHub, count = 1025) {
  for (const one of events(count)) hub.publish(one)
  const waiting = yield* Effect.fork(hub.ready)
  yield* Effect.repeatN(Effect.yieldNow(), 5)
  return waiting
})

it.scoped("a Stream has every event since subscribe returned, also those before it is run", () =>
  Effect.gen(function* () {
    const hub = EventHub.make()
    hub.publish(event(99))
    const stream = yield* hub.subscribe
    for (const one of events(3)) hub.publish(one)
    assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(stream, 3))), events(3))
  })
)

it.scoped("the run waits while a reader is more than 1024 events behind, and no event is refused", () =>
  Effect.gen(function* () {
    const hub = EventHub.make()
    const stream = yield* hub.subscribe
    const early = yield* overwhelm(hub, 1024)
    assert.isNotNull(early.unsafePoll())
    const waiting = yield* overwhelm(hub, 1)
    assert.isNull(waiting.unsafePoll())
    const read = yield* Stream.runCollect(Stream.take(stream, 1025))
    assert.strictEqual(read.length, 1025)
    yield* Fiber.join(waiting)
    yield* hub.ready
  })
)

it.scoped("a reader that leaves ends its Stream after the events it was given, and nothing waits for it", () =>
  Effect.gen(function* () {
    const hub = EventHub.make()
    const scope = yield* Scope.make()
    const stream = yield* Scope.extend(hub.subscribe, scope)
    const waiting = yield* overwhelm(hub)
    assert.isNull(waiting.unsafePoll())
    yield* Scope.close(scope, Exit.void)
    yield* Fiber.join(waiting)
    hub.publish(event(99))
    yield* hub.ready
    assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(stream)), events(1025))
  })
)

it.scoped("the run waits for the slowest of several readers", () =>
  Effect.gen(function* () {
    const hub = EventHub.make()
    const [fast, slow] = [yield* hub.subscribe, yield* hub.subscribe]
    const taken = yield* Mailbox.make<AgentEvent>()
    yield* Effect.forkScoped(Stream.runForEach(fast, (one) => taken.offer(one)))
    const waiting = yield* overwhelm(hub)
    yield* taken.takeN(1025)
    assert.isNull(waiting.unsafePoll())
    yield* Stream.runDrain(Stream.take(slow, 1))
    yield* Fiber.join(waiting)
  })
)

it.scoped("what failed before anybody listened is told to the first who does, a hundred at most", () =>
  Effect.gen(function* () {
    const hub = EventHub.make()
    const failed = (n: number): AgentEvent => ({
      _tag: "ExtensionFailed",
      extensionPath: "a.ts",
      event: "load",
      error: String(n)
    })
    hub.publish(event(1))
    for (let n = 0; n < 120; n++) hub.publish(failed(n))
    const [first, second]: [Array<AgentEvent>, Array<AgentEvent>] = [[], []]
    for (const seen of [first, second]) yield* hub.attach({ offer: (one) => void seen.push(one), ready: Effect.void })
    assert.deepStrictEqual(
      first,
      Array.from({ length: 100 }, (_, n) => failed(n))
    )
    assert.deepStrictEqual(second, [])
  })
)
