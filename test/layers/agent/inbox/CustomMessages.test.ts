/** Messages of extensions: where each goes in every state of the session, and what stays of them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { text } from "../../../../src/domain/conversation/Content.ts"
import type { CustomInput } from "../../../../src/domain/conversation/Message.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import * as LateEntries from "../../../../src/domain/session/LateEntries.ts"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as MemorySessionStore from "../../../../src/layers/session/MemorySessionStore.ts"
import {
  type Agent,
  AgentBusy,
  AgentClosing,
  NoModelSelected,
  QueueFull,
  userPrompt
} from "../../../../src/services/Agent.ts"
import { Budget } from "../../../../src/services/Budget.ts"
import { NotStorable } from "../../../../src/services/Sending.ts"
import { SessionStore } from "../../../../src/services/session/SessionStore.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import * as Budgets from "../../../support/agent/Budgets.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call, failure, say, type ScriptedTurn } from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const { output, summary, tool } = Harness
const hang = { events: [], before: Effect.never }
/** A model call that never answers, and the moment when it was made. */
const hanging = <A, E, R>(
  body: (call: { readonly begun: Effect.Effect<void>; readonly turn: ScriptedTurn }) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(Deferred.make<void>(), (begun) =>
    body({
      begun: Deferred.await(begun),
      turn: { events: [], before: Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) }
    })
  )
const note = (content: CustomInput["content"], more: Partial<CustomInput> = {}): CustomInput => ({
  customType: "note",
  content,
  display: true,
  ...more
})

const circular = () => {
  const value: Record<string, unknown> = {}
  value["left"] = value["right"] = value
  return value
}

/** What the model was sent in each request, as texts. */
const sentTo = ({ script }: TestAgent.TestAgent) =>
  Effect.map(script.requests, (requests) =>
    requests.map(({ messages }) =>
      messages.map(
        ({ content, role }) => `${role}: ${content.map((block) => ("text" in block ? block.text : "")).join()}`
      )
    )
  )

const queued = (queue: MessageQueue.MessageQueue) =>
  MessageQueue.items(queue).map(({ queue: name, text }) => `${name} ${text}`)

const shown = (events: ReadonlyArray<AgentEvent>) => summary(events).filter((word) => word !== "QueueChanged")

describe("an idle session", () => {
  it.effect("takes a message at once: stored, told outside a run, and in the next request as a user's", () =>
    Harness.run({ turns: [say("ok")] }, (harness) =>
      Effect.gen(function* () {
        const { agent, events, session } = harness
        yield* TestClock.setTime(5000)
        const blocks = [text("two"), text("blocks")]
        const sent = yield* agent.send(note(blocks, { details: { a: [1] } }))
        const message = { role: "custom", ...note(blocks, { details: { a: [1] } }), timestamp: 5000 } as const
        assert.deepStrictEqual(sent, { disposition: "appended", messageId: "msg_1" })
        assert.deepStrictEqual(events, [
          { _tag: "MessageStarted", messageId: "msg_1", message },
          { _tag: "MessageEnded", messageId: "msg_1", message }
        ])
        assert.deepStrictEqual(yield* session.messages, [message])
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(yield* sentTo(harness), [["user: two,blocks", "user: go"]])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )

  it.effect("starts a run for a message that asks for one; no prompt ends with it", () =>
    Harness.run({ turns: [say("ok")] }, (harness) =>
      Effect.gen(function* () {
        const { agent, events, session } = harness
        const sent = yield* agent.send(note("look"), { triggerTurn: true, deliverAs: "followUp" })
        assert.deepStrictEqual(sent, { disposition: "started", messageId: "msg_1", runId: "run_1" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(shown(events), [
          "RunStarted",
          "TurnStarted",
          "MessageEnded:custom",
          "MessageEnded:assistant/stop",
          "TurnEnded",
          "RunEnded",
          "RunSettled",
          "SessionSettled"
        ])
        const ended = events.find(({ _tag }) => _tag === "RunEnded")
        assert.deepStrictEqual(ended?._tag === "RunEnded" ? ended.messages : [], yield* session.messages)
        assert.deepStrictEqual(yield* sentTo(harness), [["user: look"]])
        const [entry] = yield* session.entries
        assert.deepInclude(entry, { type: "custom_message", ...note("look"), messageId: "msg_1" })
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )

  it.effect("tells the sender why no run was started, and stores nothing", () =>
    Harness.run({ turns: [], modelless: true }, ({ agent, events, session }) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(agent.send(note("look"), { triggerTurn: true }))
        assert.instanceOf(refused, NoModelSelected)
        assert.deepStrictEqual([yield* session.entries, events], [[], []])
        assert.isTrue((yield* agent.state).isSettled)
      })
    )
  )

  it.effect("keeps what is for the next prompt through a run without one, and through an abort", () =>
    Harness.run({ turns: [say("one"), say("two"), say("three")] }, (harness) =>
      Effect.gen(function* () {
        const { agent, events } = harness
        yield* agent.send(note("first"), { deliverAs: "nextTurn", triggerTurn: true })
        yield* agent.send(note("second"), { deliverAs: "nextTurn" })
        yield* agent.send(note("look"), { triggerTurn: true })
        yield* agent.awaitIdle
        assert.deepStrictEqual(yield* agent.abort(), [])
        assert.deepStrictEqual(queued(yield* agent.queue.current), ["nextTurn first", "nextTurn second"])
        yield* agent.enqueue("steering", { text: "S" })
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual((yield* sentTo(harness)).at(-1)?.slice(2), [
          "user: go",
          "user: first",
          "user: second",
          "user: S"
        ])
        assert.deepStrictEqual(queued(yield* agent.queue.current), [])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )
})

describe("during a run", () => {
  it.effect("a message steers by default, also where nobody asked for a turn; only false keeps it out", () =>
    Harness.run({ turns: [hang] }, ({ agent }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        const sent = [
          yield* agent.send(note("a")),
          yield* agent.send(note("b"), { triggerTurn: true }),
          yield* agent.send(note("c"), { deliverAs: "followUp" }),
          yield* agent.send(note("d"), { deliverAs: "nextTurn" }),
          yield* agent.send(note("e"), { triggerTurn: false })
        ]
        assert.deepStrictEqual(new Set(sent.map(({ disposition }) => disposition)), new Set(["queued"]))
        assert.deepStrictEqual(queued(yield* agent.queue.current), [
          "steering a",
          "steering b",
          "followUp c",
          "nextTurn d"
        ])
      })
    )
  )

  it.effect("an abort hands back what waited for the run, drops no other, and stores what wants no answer", () =>
    Harness.run({ turns: [hang] }, ({ agent, events, session }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* agent.send(note("steering"))
        yield* agent.enqueue("followUp", { text: "user" })
        yield* agent.send(note("next"), { deliverAs: "nextTurn" })
        yield* agent.send(note("late"), { triggerTurn: false })
        const back = yield* agent.abort()
        assert.deepStrictEqual(
          back.map(({ text }) => text),
          ["steering", "user"]
        )
        assert.deepStrictEqual(queued(yield* agent.queue.current), ["nextTurn next"])
        assert.deepStrictEqual(
          (yield* session.queued).map(({ text }) => text),
          ["next"]
        )
        assert.deepInclude((yield* session.messages).at(-1), { role: "custom", content: "late" })
        assert.deepStrictEqual(LateEntries.restore(yield* session.entries), [])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )

  it.effect("a message between two attempts leaves out the attempt before it, as a user's does", () =>
    Harness.run(
      {
        turns: [{ events: [], before: failure("overloaded", "529") }, say("ok")],
        settings: { "retry.baseDelayMs": 1000 }
      },
      (harness) =>
        Effect.gen(function* () {
          const { agent, events } = harness
          const waits = yield* Deferred.make<void>()
          yield* agent.events.attach({
            offer: ({ _tag }) => void (_tag === "RetryScheduled" && Deferred.unsafeDone(waits, Effect.void)),
            ready: Effect.void
          })
          yield* agent.prompt({ text: "go" })
          yield* Deferred.await(waits)
          yield* agent.send(note("hurry"))
          yield* TestClock.adjust(60_000)
          yield* agent.awaitIdle
          assert.deepStrictEqual((yield* sentTo(harness)).at(-1), ["user: go", "user: hurry"])
          assert.deepStrictEqual(violations(events), [])
        })
    )
  )
})

describe("a compaction", () => {
  it.effect("of the user's is not disturbed: messages join the conversation after it, or wait for a run", () =>
    Harness.run({ turns: [say("x".repeat(400)), hang], settings: { "compaction.keepRecentTokens": 1 } }, (harness) =>
      Effect.gen(function* () {
        const { agent, events, session } = harness
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        const begun = yield* Deferred.make<void>()
        yield* agent.events.attach({
          offer: ({ _tag }) => void (_tag === "CompactionStarted" && Deferred.unsafeDone(begun, Effect.void)),
          ready: Effect.void
        })
        const compacting = yield* Effect.fork(Effect.exit(agent.compact({})))
        yield* Deferred.await(begun)
        const sent = [yield* agent.send(note("late")), yield* agent.send(note("run"), { triggerTurn: true })]
        assert.deepStrictEqual(
          sent.map(({ disposition }) => disposition),
          ["queued", "queued"]
        )
        const before = (yield* session.messages).length
        yield* harness.compactions.cancel
        yield* compacting.await
        assert.deepInclude((yield* session.messages)[before], { role: "custom", content: "late" })
        assert.deepStrictEqual(queued(yield* agent.queue.current), ["steering run"])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )
})

describe("a session that is opened again", () => {
  /** A store whose first session has these entries. */
  const storeWith = (entries: ReadonlyArray<SessionEntry>) =>
    Layer.effect(
      SessionStore,
      Effect.map(MemorySessionStore.make({ cwd: "/" }), (memory) => ({
        ...memory,
        create: (given: Parameters<typeof memory.create>[0]) => memory.create({ ...given, entries })
      }))
    )

  it.scoped("queues again what was queued, and has said what waited for the end of the run", () =>
    hanging(({ begun, turn }) =>
      Effect.gen(function* () {
        const blocks = [text("a"), { type: "image", data: "AA==", mimeType: "image/png" } as const]
        const crashed = yield* TestAgent.make({ turns: [turn] })
        yield* crashed.agent.send(note(blocks, { details: { n: 1 }, display: false }), { deliverAs: "nextTurn" })
        yield* crashed.agent.send(note("taken"), { deliverAs: "nextTurn" })
        yield* crashed.agent.send(note("waits"), { deliverAs: "nextTurn" })
        const [, taken] = (yield* crashed.agent.queue.current).nextTurn
        yield* crashed.agent.queue.promote(taken?.messageId ?? "", "steering")
        yield* crashed.agent.send(note("look"), { triggerTurn: true })
        yield* begun
        yield* crashed.agent.send(note("steers"))
        yield* crashed.agent.send(note("late"), { triggerTurn: false })
        const left = yield* crashed.session.entries
        const again = yield* TestAgent.make({ turns: [say("ok")] }, { store: storeWith(left) })
        assert.deepStrictEqual(queued(yield* again.agent.queue.current), [
          "steering steers",
          "nextTurn a",
          "nextTurn waits"
        ])
        const [first] = (yield* again.agent.queue.current).nextTurn
        assert.deepStrictEqual(first?.custom, note(blocks, { details: { n: 1 }, display: false }))
        assert.deepInclude((yield* again.session.messages).at(-1), { role: "custom", content: "late" })
        yield* again.agent.prompt({ text: "go" })
        yield* again.agent.awaitIdle
        assert.deepStrictEqual((yield* sentTo(again))[0]?.slice(-4), [
          "user: go",
          "user: a,",
          "user: waits",
          "user: steers"
        ])
        assert.deepStrictEqual(yield* again.session.queued, [])
      })
    )
  )
})

describe("user messages", () => {
  it.effect("start a run, or wait for the one that goes on, or are refused; nobody waits for their end", () =>
    hanging(({ begun, turn }) =>
      Harness.run({ turns: [turn, say("ok")] }, ({ agent, events, session }) =>
        Effect.gen(function* () {
          const image = { type: "image", data: "AA==", mimeType: "image/png" } as const
          const started = yield* agent.prompt(userPrompt([text("one"), image, text("two")]))
          assert.deepStrictEqual(started, { disposition: "started", runId: "run_1", messageId: "msg_1" })
          assert.instanceOf(yield* Effect.flip(agent.prompt(userPrompt("again"))), AgentBusy)
          const waiting = yield* agent.prompt(userPrompt("then", { deliverAs: "followUp" }))
          assert.strictEqual(waiting.disposition, "queued")
          assert.deepStrictEqual(MessageQueue.texts(yield* agent.queue.current), { steering: [], followUp: ["then"] })
          const [message] = yield* session.messages
          assert.deepInclude(message, { role: "user", content: [text("one\ntwo"), image] })
          yield* begun
          yield* agent.abort({ queue: "keep" })
          assert.isTrue((yield* agent.state).isSettled)
          yield* agent.prompt({ text: "go", requestId: "p" })
          yield* agent.awaitIdle
          const ends = events.flatMap((event) => (event._tag === "PromptFinished" ? [event.requestId] : []))
          assert.deepStrictEqual(ends, ["p"])
          assert.deepStrictEqual(violations(events), [])
        })
      )
    )
  )
})

it.scoped("while a prompt is being checked, messages join the conversation before it, or its run", () =>
  Effect.gen(function* () {
    const [asked, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const check = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(go))
    const budget = { ...Budgets.unlimited, check }
    const { agent, events, session } = yield* TestAgent.make(
      { turns: [say("ok")] },
      { budget: Layer.succeed(Budget, { open: () => Effect.succeed(budget) }) }
    )
    const prompting = yield* Effect.fork(agent.prompt({ text: "go" }))
    yield* Deferred.await(asked)
    assert.strictEqual((yield* agent.send(note("before"))).disposition, "appended")
    assert.strictEqual((yield* agent.send(note("with"), { triggerTurn: true })).disposition, "queued")
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(prompting)
    yield* agent.awaitIdle
    assert.deepStrictEqual(
      (yield* session.messages).map(({ role }) => role),
      ["custom", "user", "custom", "assistant"]
    )
    assert.deepStrictEqual(violations(events), [])
  })
)

it.effect("two that ask for a run at once: one starts it, the other joins it, and both are answered", () =>
  Harness.run({ turns: [say("ok"), say("ok")] }, ({ agent, events }) =>
    Effect.gen(function* () {
      const sent = yield* Effect.all(
        [agent.send(note("a"), { triggerTurn: true }), agent.send(note("b"), { triggerTurn: true })],
        { concurrency: "unbounded" }
      )
      assert.sameMembers(
        sent.map(({ disposition }) => disposition),
        ["started", "queued"]
      )
      yield* agent.awaitIdle
      assert.deepStrictEqual(queued(yield* agent.queue.current), [])
      assert.deepStrictEqual(shown(events).filter((word) => word === "MessageEnded:custom").length, 2)
      assert.deepStrictEqual(violations(events), [])
    })
  )
)

it.effect("a tool that answers with a custom message steers the next turn of its run", () =>
  Effect.gen(function* () {
    const sender = yield* Deferred.make<typeof Agent.Service>()
    const tell = tool("tell", () =>
      Effect.flatMap(Deferred.await(sender), (agent) => agent.send(note("told"))).pipe(
        Effect.as(output("done")),
        Effect.orDie
      )
    )
    yield* Harness.run({ turns: [call(["A", "tell", {}]), say("ok")], tools: [tell] }, (harness) =>
      Effect.gen(function* () {
        yield* Deferred.succeed(sender, harness.agent)
        yield* harness.agent.prompt({ text: "go" })
        yield* harness.agent.awaitIdle
        const roles = (yield* harness.session.messages).map(({ role }) => role)
        assert.deepStrictEqual(roles, ["user", "assistant", "toolResult", "custom", "assistant"])
        assert.deepStrictEqual(violations(harness.events), [])
      })
    )
  })
)

/** As code without types would call it. */
const untyped = (agent: typeof Agent.Service, ...args: ReadonlyArray<object>): ReturnType<typeof agent.send> =>
  Reflect.apply(agent.send, null, args)

describe("refusals", () => {
  const wrong: ReadonlyArray<readonly [string, object, RegExp]> = [
    ["no content", { customType: "x", display: true }, /"content" that is a text or a list/],
    ["a block that is none", { ...note([]), content: [{ type: "video" }] }, /"content" that is a text or a list/],
    ["details without JSON", note("x", { details: { n: 1n } }), /: holds a BigInt$/],
    ["details that contain themselves", note("x", { details: circular() }), /: more than 1000000 values$/],
    ["too long", note("x".repeat(2000)), /: longer than 1000 characters of JSON$/]
  ]
  it.effect.each(wrong)("%s", ([, message, says]) =>
    Harness.run({ turns: [hang], settings: { "queue.maxBytes": 1000 } }, ({ agent, events, session }) =>
      Effect.gen(function* () {
        for (const options of [{}, { deliverAs: "nextTurn" }, { triggerTurn: true }] as const) {
          const refused = yield* Effect.flip(untyped(agent, message, options))
          assert.instanceOf(refused, NotStorable)
          assert.match(refused.message, says)
        }
        assert.deepStrictEqual([yield* session.entries, events], [[], []])
      })
    )
  )

  it.effect("a queue that is full takes none, neither do those that wait for the end of the run", () =>
    Harness.run({ turns: [hang], settings: { "queue.maxMessages": 3, "queue.maxBytes": 200 } }, (harness) =>
      Effect.gen(function* () {
        const { agent, session } = harness
        yield* agent.prompt({ text: "go" })
        const large = note("", { details: "d".repeat(90) })
        for (const [first, then] of [
          [{}, { deliverAs: "nextTurn" }],
          [{ triggerTurn: false }, { triggerTurn: false }]
        ] as const) {
          yield* agent.send(large, first)
          yield* agent.send(large, then)
          const before = (yield* session.entries).length
          assert.instanceOf(yield* Effect.flip(agent.send(large, first)), QueueFull)
          yield* agent.send(note("small"), then)
          assert.instanceOf(yield* Effect.flip(agent.send(note("small"), first)), QueueFull)
          assert.instanceOf(yield* Effect.flip(agent.send(note("small"), then)), QueueFull)
          assert.strictEqual((yield* session.entries).length, before + 1)
        }
        yield* agent.abort()
        assert.strictEqual((yield* agent.send(large)).disposition, "appended")
      })
    )
  )

  it.effect("a session that closes takes none", () =>
    Harness.run({ turns: [] }, ({ agent }) =>
      Effect.gen(function* () {
        yield* agent.close
        for (const options of [{}, { deliverAs: "nextTurn" }, { triggerTurn: true }] as const) {
          assert.instanceOf(yield* Effect.flip(agent.send(note("x"), options)), AgentClosing)
        }
        assert.instanceOf(yield* Effect.flip(agent.prompt(userPrompt("x"))), AgentClosing)
      })
    )
  )
})

it.effect("a thousand for the next prompt, some of them long, are all in its first turn, in order", () =>
  Harness.run({ turns: [say("ok")] }, (harness) =>
    Effect.gen(function* () {
      const { agent, events } = harness
      const long = "x".repeat(20_000)
      for (let n = 0; n < 1000; n++)
        yield* agent.send(note(n % 10 === 0 ? `${n} ${long}` : `${n}`), { deliverAs: "nextTurn" })
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      const [request = []] = yield* sentTo(harness)
      assert.strictEqual(request.length, 1001)
      assert.deepStrictEqual(
        request.slice(1).map((said) => Number(/\d+/.exec(said)?.[0])),
        Array.from({ length: 1000 }, (_, n) => n)
      )
      assert.deepStrictEqual(queued(yield* agent.queue.current), [])
      assert.deepStrictEqual(violations(events), [])
    })
  )
)

it.effect("what the sender changes afterwards changes nothing", () =>
  Harness.run({ turns: [] }, ({ agent, session }) =>
    Effect.gen(function* () {
      const details = { list: [1] }
      yield* agent.send(note("x", { details }), { deliverAs: "nextTurn" })
      yield* agent.send(note("y", { details }))
      details.list.push(2)
      assert.deepStrictEqual((yield* agent.queue.current).nextTurn[0]?.custom?.details, { list: [1] })
      assert.deepInclude((yield* session.messages)[0], { details: { list: [1] } })
    })
  )
)
