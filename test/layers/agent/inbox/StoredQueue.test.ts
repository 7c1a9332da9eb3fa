/** The queue in the session's log: what is stored when, with a store that takes its time, and what a host leaves behind. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import * as QueueEntries from "../../../../src/domain/session/QueueEntries.ts"
import * as MemorySessionStore from "../../../../src/layers/session/MemorySessionStore.ts"
import { QueueFull } from "../../../../src/services/Agent.ts"
import { SessionStore } from "../../../../src/services/session/SessionStore.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const hang = { events: [], before: Effect.never }

const changes = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "QueueChanged" ? [[event.queue.revision, MessageQueue.items(event.queue).length]] : []
  )

/** A store whose writes wait while it is shut. */
const slowStore = () => {
  let shut: Deferred.Deferred<void> | undefined
  const layer = Layer.effect(
    SessionStore,
    Effect.map(MemorySessionStore.make({ cwd: "/" }), (memory) => ({
      ...memory,
      create: (given: Parameters<typeof memory.create>[0]) =>
        Effect.map(memory.create(given), (log) => ({
          ...log,
          append: (entries: Parameters<typeof log.append>[0]) =>
            Effect.zipRight(
              Effect.suspend(() => (shut === undefined ? Effect.void : Deferred.await(shut))),
              log.append(entries)
            )
        }))
    }))
  )
  return {
    layer,
    close: Effect.map(Deferred.make<void>(), (made) => {
      shut = made
      return Effect.zipRight(
        Effect.sync(() => (shut = undefined)),
        Deferred.succeed(made, undefined)
      )
    })
  }
}

it.scoped("a message is answered and announced when it is stored", () =>
  Effect.gen(function* () {
    const { close, layer } = slowStore()
    const { agent, events } = yield* TestAgent.make({}, { store: layer })
    const open = yield* close
    const adding = yield* Effect.fork(agent.enqueue("steering", { text: "S" }))
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    assert.isNull(adding.unsafePoll())
    assert.deepStrictEqual(changes(events), [])
    yield* open
    yield* Fiber.join(adding)
    assert.deepStrictEqual(changes(events), [[1, 1]])
  })
)

it.scoped("changes that overlap in a slow store are told in their order, none of them twice", () =>
  Effect.gen(function* () {
    const { close, layer } = slowStore()
    const { agent, events, session } = yield* TestAgent.make({}, { store: layer })
    const { messageId = "" } = yield* agent.enqueue("followUp", { text: "F" })
    const open = yield* close
    const removing = yield* Effect.fork(agent.queue.remove(messageId))
    const adding = yield* Effect.fork(agent.enqueue("followUp", { text: "G" }))
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    // Gone at once, so that no run delivers it, although the host is not told yet.
    assert.deepStrictEqual(MessageQueue.texts(yield* agent.queue.current).followUp, ["G"])
    assert.strictEqual((yield* Effect.flip(agent.queue.remove(messageId))).reason, "queue_item_not_found")
    yield* open
    yield* Fiber.join(removing)
    yield* Fiber.join(adding)
    const revisions = changes(events).map(([revision]) => revision ?? 0)
    assert.deepStrictEqual(
      revisions,
      revisions.toSorted((one, other) => one - other)
    )
    assert.strictEqual(revisions.at(-1), 3)
    const told = events.flatMap((event) => (event._tag === "QueueChanged" ? event.changed : []))
    assert.strictEqual(new Set(told).size, told.length - 1)
    assert.deepStrictEqual(
      (yield* session.queued).map(({ text }) => text),
      ["G"]
    )
  })
)

it.effect("a queue that is full refuses messages, queued prompts and edits, and what was refused has no trace", () =>
  Harness.run(
    { turns: [hang], settings: { "queue.maxMessages": 1, "queue.maxBytes": 3 } },
    ({ agent, inbox, session }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        const { messageId = "" } = yield* agent.enqueue("steering", { text: "abc" })
        const before = (yield* session.entries).length
        const named = { text: "x", clientMessageId: "c" }
        const refused = [
          yield* Effect.flip(agent.enqueue("followUp", named)),
          yield* Effect.flip(agent.prompt({ ...named, whenBusy: "steering" })),
          yield* Effect.flip(agent.queue.edit(messageId, { text: "abcd" }))
        ]
        for (const error of refused) assert.instanceOf(error, QueueFull)
        assert.isFalse(yield* inbox.isKnown("c"))
        assert.strictEqual((yield* session.entries).length, before)
        yield* agent.queue.clear
        assert.strictEqual((yield* agent.enqueue("followUp", named)).disposition, "queued")
      })
  )
)

it.effect("a host that leaves gets reports on its prompts; they are in the log until they are forgotten", () =>
  Harness.run({ turns: [hang] }, ({ agent, events, inbox, session }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go", requestId: "go" })
      yield* agent.enqueue("steering", { text: "S" })
      yield* agent.prompt({ text: "Q", requestId: "q", whenBusy: "followUp" })
      const queued = Effect.map(session.entries, (entries) => QueueEntries.restore(entries).map(({ text }) => text))
      yield* agent.close
      const forget = yield* inbox.leave
      const ends = events.flatMap((event) => (event._tag === "PromptFinished" ? [`${event.requestId}`] : []))
      assert.deepStrictEqual(ends, ["go", "q"])
      assert.deepStrictEqual(MessageQueue.texts(yield* agent.queue.current), { steering: ["S"], followUp: [] })
      assert.deepStrictEqual(yield* queued, ["S", "Q"])
      yield* forget
      assert.deepStrictEqual(yield* queued, ["S"])
    })
  )
)
