/** The setting `compaction.strategy: "handoff"`: a conversation that becomes too long goes on in a new session. */
import { readdirSync } from "node:fs"
import { Compactions } from "../../../../src/services/Compaction.ts"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../../src/domain/conversation/Content.ts"
import type { BashExecutionMessage } from "../../../../src/domain/conversation/Message.ts"
import * as MessageQueue from "../../../../src/domain/conversation/MessageQueue.ts"
import * as Ledger from "../../../../src/domain/session/Ledger.ts"
import * as LateEntries from "../../../../src/domain/session/LateEntries.ts"
import * as QueueEntries from "../../../../src/domain/session/QueueEntries.ts"
import * as SessionTree from "../../../../src/domain/session/SessionTree.ts"
import * as EventLoop from "../../../../src/layers/platform/EventLoop.ts"
import * as JsonlSessionStore from "../../../../src/layers/session/JsonlSessionStore.ts"
import * as MemorySessionStore from "../../../../src/layers/session/MemorySessionStore.ts"
import { Agent } from "../../../../src/services/Agent.ts"
import { SessionStore } from "../../../../src/services/session/SessionStore.ts"
import { output, summary, tool } from "../../../support/agent/AgentHarness.ts"
import * as Harness from "../../../support/agent/CompactionHarness.ts"
import {
  asked,
  compactions,
  withUsage,
  ending,
  story,
  supplied as hooks
} from "../../../support/agent/CompactionHarness.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { call, failure, say, type ScriptedTurn } from "../../../support/agent/ScriptedModel.ts"
import { full } from "../../../support/agent/SessionHarness.ts"
import { tempFolder } from "../../tools/TempFolder.ts"

const settings = { "compaction.strategy": "handoff" } as const
const ls = tool("ls", () => Effect.succeed(output("a.txt")))
/** The window is full after a call, in the middle of the second run. */
const turns = [story, withUsage(call(["A", "ls", {}]), 900), withUsage(say("done"), 60), withUsage(say("well"), 70)]
const options = { settings, hooks, tools: [ls], turns }

const bash = {
  role: "bashExecution",
  command: "ls",
  output: "",
  cancelled: false,
  truncated: false,
  timestamp: 0
} as const

const actions = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "CompactionStarted" ? [`${event.reason} ${event.action}`] : []))

/** Waits whenever it has made a session. */
const waitingStore = (wait: () => Effect.Effect<unknown>) =>
  Layer.effect(
    SessionStore,
    Effect.map(MemorySessionStore.make({ cwd: "/" }), (memory) => ({
      ...memory,
      create: (more: Parameters<typeof memory.create>[0]) => Effect.zipLeft(memory.create(more), Effect.suspend(wait))
    }))
  )

const roles = (messages: ReadonlyArray<{ readonly role: string }>) => messages.map(({ role }) => role)

it.effect("the run goes on in a new session, and the old one is left as it was", () =>
  Harness.run(options, ({ ask, events, inbox, script, session, store }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      const before = yield* session.entries
      yield* ask("Look")
      assert.deepStrictEqual(actions(events), ["threshold handoff"])
      const words = summary(events)
      assert.deepStrictEqual(words.slice(words.indexOf("CompactionStarted") - 1), [
        "TurnEnded",
        "CompactionStarted",
        "SessionChanged",
        "SessionNamed",
        "CompactionEnded",
        "TurnStarted",
        ...ending
      ])
      assert.deepStrictEqual(violations(events), [])
      const { header, sessionId } = yield* session.info
      assert.deepStrictEqual([sessionId, header.parentSession], ["session-2", "session-1"])
      assert.deepStrictEqual(roles(yield* session.messages), [
        "compactionSummary",
        "assistant",
        "toolResult",
        "assistant"
      ])
      const last = (yield* script.requests).at(-1)
      assert.strictEqual(last?.sessionId, "session-2")
      assert.include(asked(last), "<summary>\\nS\\n</summary>")
      const old = (yield* store.read("session-1")).entries
      assert.deepStrictEqual(old.slice(0, before.length), [...before])
      assert.deepStrictEqual(
        old.slice(before.length).map(({ type }) => type),
        ["message", "message", "message"]
      )
      yield* inbox.record(bash)
      assert.strictEqual(
        (yield* session.messages).at(-1)?.role,
        "bashExecution",
        "it is recorded where the conversation goes on"
      )
      yield* ask("And now?")
      assert.deepStrictEqual(actions(events), ["threshold handoff"], "it is not too long any more")
    })
  )
)

it.effect("the old session is synced before the new one is made", () => {
  let look: () => number = () => 0
  const seen: Array<number> = []
  const store = waitingStore(() => Effect.sync(() => seen.push(look())))
  return Harness.run({ ...options, store }, ({ ask, synced }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      const before = synced.length
      look = () => synced.length - before
      yield* ask("Look")
      assert.deepStrictEqual(seen, [0, 1])
    })
  )
})

it.effect("everything of the old session survives a power cut before it is left", () =>
  Harness.run(options, ({ ask, store, synced }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      const before = synced.length
      yield* ask("Look")
      const { length } = (yield* store.read("session-1")).entries
      assert.strictEqual(synced[before], length)
    })
  )
)

it.effect("the answer of a compaction names the first entry that was kept", () =>
  Harness.run(options, ({ ask, events, session }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* ask("Look")
      const [spent, first, second] = yield* session.entries
      const ended = events.find((event) => event._tag === "CompactionEnded")
      assert.strictEqual(ended?._tag === "CompactionEnded" ? ended.result?.firstKeptEntryId : "", second?.id)
      assert.strictEqual(spent?.type, "usage")
      assert.deepStrictEqual([spent?.parentId, first?.parentId], [null, spent?.id])
    })
  )
)

it.effect("at the end of a run too, and with autoContinue it goes on there", () =>
  Harness.run(
    {
      settings: { ...settings, "compaction.autoContinue": true },
      hooks,
      turns: [story, withUsage(say("Half."), 900), withUsage(say("All."), 50)]
    },
    ({ ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Weave")
        assert.deepStrictEqual(roles(yield* session.messages), ["compactionSummary", "assistant", "user", "assistant"])
        assert.strictEqual((yield* session.info).sessionId, "session-2")
        assert.deepStrictEqual(violations(events), [])
      })
  )
)

it.effect("a prompt that finds the conversation too long is in both sessions", () =>
  Harness.run(
    { settings, hooks, turns: [story, withUsage(say("."), 900), withUsage(say("there"), 60)] },
    ({ agent, ask, events, service, session, store }) =>
      Effect.gen(function* () {
        yield* service(Compactions).setEnabled(false)
        yield* ask("Tell me")
        yield* ask("Go on")
        yield* service(Compactions).setEnabled(true)
        yield* agent.prompt({ text: "Now", clientMessageId: "now" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(actions(events), ["threshold handoff"])
        const named = (entries: ReadonlyArray<object>) =>
          JSON.stringify(entries).split('"clientMessageId":"now"').length
        assert.deepStrictEqual([named(yield* session.entries), named((yield* store.read("session-1")).entries)], [2, 2])
        const again = yield* agent.prompt({ text: "Now", clientMessageId: "now" })
        assert.isTrue(again.duplicate)
        assert.strictEqual(summary(events).at(-1), "PromptFinished:completed")
      })
  )
)

it.effect("what was sent to the old session under a name is not done again in the new one", () =>
  Harness.run(options, ({ agent, ask, session }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "Tell me", clientMessageId: "one" })
      yield* agent.awaitIdle
      yield* ask("Look")
      assert.strictEqual((yield* session.info).sessionId, "session-2")
      const again = yield* agent.prompt({ text: "Tell me", clientMessageId: "one" })
      assert.deepStrictEqual([again.duplicate, again.disposition], [true, "started"])
    })
  )
)

it.effect("name, level and what was spent go along", () =>
  Harness.run({ ...options, budget: { maxInputTokens: 1000 } }, ({ agent, ask, session, store }) =>
    Effect.gen(function* () {
      yield* session.append({ type: "session_info", name: "Looms" })
      yield* session.append({ type: "thinking_level_change", thinkingLevel: "high" })
      yield* ask("Tell me")
      yield* ask("Look")
      const { name, sessionId } = yield* session.info
      assert.deepStrictEqual([sessionId, Option.getOrThrow(name)], ["session-2", "Looms"])
      assert.strictEqual((yield* session.settings).thinkingLevel, "high")
      const spent = Ledger.total(yield* session.entries).tokens
      assert.strictEqual(Ledger.total((yield* store.read("session-1")).entries).tokens.input, 900)
      assert.strictEqual(spent.input, 960)
      yield* ask("And now?")
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "More" })))._tag, "BudgetExceeded")
    })
  )
)

it.effect("what is noted while the new session is made comes along", () =>
  Effect.gen(function* () {
    let note: Effect.Effect<unknown> = Effect.void
    const store = Layer.effect(
      SessionStore,
      Effect.map(MemorySessionStore.make({ cwd: "/" }), (made) => ({
        ...made,
        create: (more: Parameters<typeof made.create>[0]) => Effect.zipLeft(made.create(more), note)
      }))
    )
    yield* Harness.run({ ...options, store }, ({ ask, session }) =>
      Effect.gen(function* () {
        note = Effect.suspend(() => session.append({ type: "session_info", name: "Meanwhile" }))
        yield* ask("Tell me")
        yield* ask("Look")
        const { name, sessionId } = yield* session.info
        assert.deepStrictEqual([sessionId, Option.getOrThrow(name)], ["session-2", "Meanwhile"])
      })
    )
  })
)

it.effect("a place in the old session is not looked for in the new one", () =>
  Effect.gen(function* () {
    const [made, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let wait: Effect.Effect<unknown> = Effect.void
    const store = waitingStore(() => wait)
    yield* Harness.run({ ...options, store }, ({ agent, ask, events, session, sessions: host }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        wait = Effect.zipRight(Deferred.succeed(made, undefined), Deferred.await(goOn))
        const entryId = (yield* session.entries)[1]?.id ?? ""
        yield* agent.prompt({ text: "Look" })
        yield* Deferred.await(made)
        // While a prompt is being answered, changes of the session wait.
        const moved = yield* Deferred.make<void>()
        const follow = { text: "And then?", whenBusy: "followUp" } as const
        const asking = yield* Effect.fork(agent.prompt(follow, () => Deferred.await(moved)))
        const sessions = yield* host.changes
        const going = yield* Effect.fork(Effect.flip(sessions.navigate({ entryId })))
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        yield* Deferred.succeed(goOn, undefined)
        const isNext = Effect.map(session.info, ({ sessionId }) => sessionId === "session-2")
        yield* Effect.repeat(Effect.yieldNow(), { until: () => isNext })
        yield* Deferred.succeed(moved, undefined)
        yield* Fiber.join(asking)
        assert.strictEqual((yield* Fiber.join(going))._tag, "EntryNotFound")
        assert.strictEqual(roles(yield* session.messages)[0], "compactionSummary")
        assert.deepStrictEqual(violations(events), [])
      })
    )
  })
)

const ran = (command: string): BashExecutionMessage => {
  const rest = { output: "", exitCode: 0, cancelled: false, truncated: false, timestamp: 0 }
  return { role: "bashExecution", command, ...rest }
}

it.effect(
  "what is queued goes along, also what comes while the new session is made, and is left in no other file",
  () =>
    Effect.gen(function* () {
      const made = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      let wait: Effect.Effect<unknown> = Effect.void
      const store = waitingStore(() => wait)
      yield* Harness.run({ ...options, store }, (harness) =>
        Effect.gen(function* () {
          const { agent, ask, inbox, session, store } = harness
          const queued = (id: string) =>
            Effect.map(store.read(id), ({ entries }) => [
              ...QueueEntries.restore(entries).map(({ text }) => text),
              ...LateEntries.restore(entries).map(({ message }) => ("command" in message ? message.command : ""))
            ])
          yield* ask("Tell me")
          wait = Effect.zipRight(Deferred.succeed(made, undefined), Deferred.await(goOn))
          yield* agent.prompt({ text: "Look" })
          const { messageId = "" } = yield* agent.enqueue("followUp", { text: "before" })
          yield* agent.enqueue("followUp", { text: "never" })
          yield* inbox.record(ran("first"))
          yield* Deferred.await(made)
          yield* inbox.record(ran("second"))
          yield* agent.enqueue("followUp", { text: "meanwhile" })
          yield* agent.queue.remove(MessageQueue.items(yield* agent.queue.current)[1]?.messageId ?? "")
          yield* agent.queue.edit(messageId, { text: "edited" })
          assert.deepStrictEqual(yield* queued("session-1"), ["edited", "meanwhile", "first", "second"])
          const changed = yield* Deferred.make<ReadonlyArray<string>>()
          yield* agent.events.attach({
            offer: ({ _tag }) =>
              void (_tag === "SessionChanged" && Deferred.unsafeDone(changed, Effect.orDie(queued("session-2")))),
            ready: Effect.void
          })
          yield* Deferred.succeed(goOn, undefined)
          assert.deepStrictEqual(yield* Deferred.await(changed), ["edited", "meanwhile", "first", "second"])
          assert.deepStrictEqual(yield* queued("session-1"), [])
          yield* agent.awaitIdle
          assert.deepStrictEqual(yield* queued("session-2"), [])
          const said = (yield* session.branch).flatMap((entry) =>
            entry.type === "message" && entry.message.role === "user" ? [plainText(entry.message.content)] : []
          )
          assert.deepStrictEqual(said, ["edited", "meanwhile"])
          const last = (yield* session.messages).slice(-2)
          assert.deepStrictEqual(last, [ran("first"), ran("second")])
        })
      )
    })
)

it.effect("an abort does not wait for the store that makes the new session: the old one is left as it is", () =>
  Effect.gen(function* () {
    const made = yield* Deferred.make<void>()
    let wait: Effect.Effect<unknown> = Effect.void
    const store = waitingStore(() => wait)
    yield* Harness.run({ ...options, store }, ({ agent, ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        wait = Effect.zipRight(Deferred.succeed(made, undefined), Effect.never)
        yield* agent.prompt({ text: "Look" })
        yield* Deferred.await(made)
        yield* agent.abort()
        assert.strictEqual((yield* session.info).sessionId, "session-1")
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold aborted"])
        assert.deepStrictEqual(violations(events), [])
      })
    )
  })
)

it.effect("where there can be no new session, the old one is compacted, and somebody is told", () =>
  Effect.gen(function* () {
    let made = 0
    const store = Layer.effect(
      SessionStore,
      Effect.map(MemorySessionStore.make({ cwd: "/" }), (memory) => ({
        ...memory,
        create: (more: Parameters<typeof memory.create>[0]) =>
          Effect.suspend(() => (made++ === 0 ? memory.create(more) : Effect.fail(full)))
      }))
    )
    yield* Harness.run({ ...options, store }, ({ ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Look")
        assert.strictEqual((yield* session.info).sessionId, "session-1")
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold done"])
        assert.deepStrictEqual(roles(yield* session.messages), [
          "compactionSummary",
          "assistant",
          "toolResult",
          "assistant"
        ])
        const notice = events.find((event) => event._tag === "Notice")
        assert.match(notice?._tag === "Notice" ? notice.message : "", /in place of a handoff: .*no space left/)
      })
    )
  })
)

it.effect("an overflow and a compaction that was asked for stay in the session", () =>
  Harness.run(
    {
      settings,
      hooks,
      turns: [story, { events: [], after: failure("context_overflow", "too long") }, say("It fits"), story]
    },
    ({ agent, ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one, please")
        yield* ask("And another one")
        yield* agent.compact({})
        assert.deepStrictEqual(actions(events), ["overflow context-full", "manual context-full"])
        assert.strictEqual((yield* session.info).sessionId, "session-1")
      })
  )
)

it.scoped("in files: a new one beside the old one, which can be opened and says the same", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder
    const sessionDir = join(root, "kept")
    const place = { agentDir: root, cwd: "/", home: "/home/me", sessionDir }
    yield* Harness.run({ ...options, store: JsonlSessionStore.layer(place) }, ({ ask, session, store }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        const old = Option.getOrThrow((yield* session.info).file)
        yield* ask("Look")
        const { file, header } = yield* session.info
        assert.strictEqual(header.parentSession, old)
        assert.deepStrictEqual(readdirSync(sessionDir).filter((name) => name.endsWith(".jsonl")).length, 2)
        const stored = yield* store.read(Option.getOrThrow(file))
        assert.deepStrictEqual(SessionTree.make(stored.entries).conversation(), [...(yield* session.messages)])
        const again = yield* Effect.provideService(
          Effect.flatMap(SessionStore, ({ open }) => open(old)),
          SessionStore,
          store
        )
        assert.strictEqual(again.entries.length, 5, "the old one is free")
      })
    )
  })
)

it.effect("aborted at any point, the run ends once, in one of the two, and the next prompt works", () =>
  Effect.gen(function* () {
    const many = [...turns, ...Array.from({ length: 3 }, () => withUsage(say("more"), 60))]
    const ended = new Set<string>()
    let early = true
    for (let at = 0; early; at++) {
      early = yield* Harness.run({ ...options, turns: many }, (harness) =>
        Effect.gen(function* () {
          const { ask, events, session } = harness
          yield* ask("Tell me")
          const aborted = yield* Harness.abortAt(harness, "Look", at)
          ended.add((yield* session.info).sessionId)
          yield* ask("And now?")
          assert.deepStrictEqual(violations(events), [], `at ${at}`)
          assert.strictEqual(events.filter(({ _tag }) => _tag === "PromptFinished").length, 3)
          const messages = yield* session.messages
          assert.deepStrictEqual(SessionTree.make(yield* session.entries).conversation(), [...messages])
          assert.strictEqual(messages.at(-1)?.role, "assistant")
          return aborted
        })
      )
      assert.isBelow(at, 200)
    }
    assert.deepStrictEqual([...ended].toSorted(), ["session-1", "session-2"])
  })
)

it.effect(
  "a handoff while another host streams: the session is found by its new id only, and the other hears nothing",
  () => {
    const streamed = Array.from({ length: 20_000 }, () => ({ _tag: "Delta", delta: "x" }) as const)
    const long: ScriptedTurn = {
      events: [{ _tag: "TextStarted" }, ...streamed, { _tag: "BlockEnded" }, { _tag: "Finished", stopReason: "stop" }]
    }
    return Harness.run({ ...options, turns: [long, ...turns] }, ({ agent, ask, events, registry, session, store }) =>
      Effect.gen(function* () {
        const other = yield* registry.host(store.create({}))
        const beside = Context.get(yield* other.current, Agent)
        const others: Array<AgentEvent> = []
        yield* other.attach({ offer: (event) => void others.push(event), ready: Effect.void })
        let wasStreaming = false
        yield* agent.events.attach({
          offer: ({ _tag }) => {
            if (_tag === "SessionChanged") wasStreaming = Effect.runSync(beside.state).isStreaming
          },
          ready: Effect.void
        })
        yield* beside.prompt({ text: "Talk" })
        yield* Effect.repeat(EventLoop.nextTurn, { until: () => others.some(({ _tag }) => _tag === "MessageUpdated") })
        yield* ask("Tell me")
        yield* ask("Look")
        assert.isTrue(wasStreaming)
        yield* beside.awaitIdle
        assert.strictEqual((yield* session.info).sessionId, "session-3")
        assert.deepStrictEqual(yield* registry.ids, ["session-3", "session-2"])
        const leases = yield* Effect.all([registry.lease("session-1"), registry.lease("session-3")])
        assert.deepStrictEqual(leases.map(Option.map(Context.get(Agent))), [Option.none(), Option.some(agent)])
        assert.strictEqual(others.filter(({ _tag }) => _tag === "MessageUpdated").length, 20_002)
        assert.isFalse(others.some(({ _tag }) => _tag === "SessionChanged"))
        assert.deepStrictEqual([violations(events), violations(others)], [[], []])
      })
    )
  }
)
