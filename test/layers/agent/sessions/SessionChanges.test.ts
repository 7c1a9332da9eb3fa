import { assert, describe, it } from "@effect/vitest"
import { SessionCore } from "../../../../src/services/session/SessionCore.ts"
import { Context, Deferred, Effect, Fiber, Layer, Option, Ref } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as EventLoop from "../../../../src/layers/platform/EventLoop.ts"
import * as MemorySessionStore from "../../../../src/layers/session/MemorySessionStore.ts"
import * as SessionToolSet from "../../../../src/layers/tools/SessionToolSet.ts"
import { Agent } from "../../../../src/services/Agent.ts"
import { Budget } from "../../../../src/services/Budget.ts"
import { Retries } from "../../../../src/services/session/Retries.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import { SessionStore } from "../../../../src/services/session/SessionStore.ts"
import { Tools } from "../../../../src/services/Tools.ts"
import { summary } from "../../../support/agent/AgentHarness.ts"
import * as Budgets from "../../../support/agent/Budgets.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { model, say } from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"
import { full, type Harness, run } from "../../../support/agent/SessionHarness.ts"

const hang = { events: [], after: "hang" } as const
const ended = ["RunEnded", "PromptFinished:aborted", "RunSettled", "SessionSettled"]
const arrived = ["SessionChanged", "SessionNamed"]

const ask = ({ agent }: Harness, text: string) => Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)
const texts = (entries: ReadonlyArray<SessionEntry>) =>
  entries.map((entry) =>
    entry.type === "message" && (entry.message.role === "user" || entry.message.role === "assistant")
      ? entry.message.content.map((block) => ("text" in block ? block.text : block.type)).join()
      : entry.type
  )
const sessionId = ({ agent }: Harness) => Effect.map(agent.state, (state) => state.sessionId)
const words = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    if (event._tag === "ModelChanged") return [event.model.id]
    return event._tag === "ThinkingLevelChanged" ? [event.level] : []
  })

/** In `session-2`, which has one exchange (entry-1, entry-2) and a run that hangs (entry-3); `session-1` is empty. */
const midRun = (body: (harness: Harness) => Effect.Effect<void, unknown>) =>
  run({ turns: [say("one"), hang, say("after")] }, (harness) =>
    Effect.gen(function* () {
      yield* harness.sessions.create({})
      yield* ask(harness, "First")
      yield* harness.agent.prompt({ text: "Second" })
      harness.log.length = 0
      yield* body(harness)
    })
  )

type Change = (harness: Harness) => Effect.Effect<unknown, { readonly _tag: string }>
const create: Change = ({ sessions }) => sessions.create({ parentSession: "p" })
const open: Change = ({ sessions }) => sessions.open("session-1")
const branch: Change = ({ sessions }) => sessions.branch("entry-3")
const clone: Change = ({ sessions }) => sessions.clone

describe("a change while a run goes on", () => {
  it.effect.each<readonly [string, Change, ReadonlyArray<string>, string | undefined]>([
    ["create", create, [], "p"],
    ["open", open, [], undefined],
    ["branch", branch, ["First", "one"], "session-2"],
    ["clone", clone, ["First", "one", "Second", ""], "session-2"]
  ])("%s ends the run once, stores all of it, and only then is elsewhere", ([, change, said, parent]) =>
    midRun((harness) =>
      Effect.gen(function* () {
        const from = harness.events.length
        yield* change(harness)
        const happened = summary(harness.events.slice(from))
        const aborted = ["MessageEnded:assistant/aborted", "TurnEnded", ...ended]
        assert.deepStrictEqual(happened, [...aborted, ...arrived])
        const steps = harness.log.filter((step) => step.endsWith("session-2"))
        assert.deepStrictEqual(steps.slice(-2), ["sync session-2", "close session-2"])
        assert.deepStrictEqual(texts(yield* harness.session.entries), said)
        assert.strictEqual((yield* harness.session.info).header.parentSession, parent)
        assert.isFalse((yield* harness.agent.state).isStreaming)
        yield* ask(harness, "Third")
        assert.deepStrictEqual(texts(yield* harness.session.entries), [...said, "Third", "after"])
      })
    )
  )

  it.effect("a copy up to an entry has it, and the session that it is of keeps its leaf", () =>
    midRun((harness) =>
      Effect.gen(function* () {
        yield* harness.sessions.copyUpTo("entry-1")
        assert.deepStrictEqual(texts(yield* harness.session.entries), ["First"])
        assert.strictEqual((yield* harness.session.info).header.parentSession, "session-2")
        yield* harness.sessions.open("session-2")
        assert.deepStrictEqual(texts(yield* harness.session.branch), ["First", "one", "Second", ""])
      })
    )
  )

  it.effect("opening the current session again ends the run and stores all of it, too, around the same log", () =>
    midRun((harness) =>
      Effect.gen(function* () {
        const from = harness.events.length
        yield* harness.sessions.open("session-2")
        const aborted = ["MessageEnded:assistant/aborted", "TurnEnded", ...ended]
        assert.deepStrictEqual(summary(harness.events.slice(from)), [...aborted, ...arrived])
        assert.strictEqual(harness.log.at(-1), "sync session-2")
        assert.notInclude(harness.log, "close session-2")
        assert.deepStrictEqual(texts(yield* harness.session.entries), ["First", "one", "Second", ""])
        yield* ask(harness, "Third")
        assert.deepStrictEqual(texts((yield* harness.store.read("session-2")).entries), [
          "First",
          "one",
          "Second",
          "",
          "Third",
          "after"
        ])
      })
    )
  )

  it.effect.each<readonly [string, Change, string]>([
    ["the store is full", create, "StoreFailure"],
    ["no such session", ({ sessions }) => sessions.open("nowhere"), "SessionNotFound"],
    [
      "no such model",
      ({ sessions }) => sessions.open("session-1", { model: { provider: "x", modelId: "y" } }),
      "ModelUnavailable"
    ],
    ["not a message", ({ sessions }) => sessions.branch("nope"), "NotABranchPoint"],
    ["not an entry", ({ sessions }) => sessions.copyUpTo("nope"), "EntryNotFound"],
    ["the copy up to an entry fails", ({ sessions }) => sessions.copyUpTo("entry-2"), "StoreFailure"],
    ["not a message of the user", ({ sessions }) => sessions.branch("entry-2"), "NotABranchPoint"],
    ["the copy fails", branch, "StoreFailure"],
    ["no folders", ({ sessions }) => sessions.openNewest("/x"), "NoSessionFolders"],
    ["nowhere to go", ({ sessions }) => sessions.navigate({ entryId: "nope" }), "EntryNotFound"],
    ["no name", ({ sessions }) => sessions.rename(" \n"), "EmptySessionName"]
  ])("fails and touches nothing: %s", ([, change, tag]) =>
    midRun((harness) =>
      Effect.gen(function* () {
        yield* Ref.set(harness.beforeCreate, Effect.fail(full))
        const [happened, entries] = [harness.events.length, yield* harness.session.entries]
        const failure = yield* Effect.flip(change(harness))
        assert.strictEqual(failure._tag, tag)
        assert.deepStrictEqual(harness.events.slice(happened), [])
        assert.deepStrictEqual(harness.log, [])
        assert.deepStrictEqual(yield* harness.session.entries, entries)
        assert.isTrue((yield* harness.agent.state).isStreaming)
        yield* harness.agent.abort()
        yield* ask(harness, "Third")
        assert.deepStrictEqual(texts(yield* harness.session.entries).slice(-2), ["Third", "after"])
      })
    )
  )

  it.effect("a clone that cannot be stored ends the run, but the session is as good as before", () =>
    midRun((harness) =>
      Effect.gen(function* () {
        yield* Ref.set(harness.beforeCreate, Effect.fail(full))
        assert.strictEqual((yield* Effect.flip(harness.sessions.clone))._tag, "StoreFailure")
        assert.strictEqual(yield* sessionId(harness), "session-2")
        yield* ask(harness, "Third")
        assert.deepStrictEqual(texts(yield* harness.session.entries).slice(-2), ["Third", "after"])
      })
    )
  )

  it.effect("a prompt waits for a change that is under way, and a session that was left refuses it", () =>
    midRun((harness) =>
      Effect.gen(function* () {
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const wait = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(go))
        yield* Ref.set(harness.beforeCreate, wait)
        const dropped = yield* Effect.fork(harness.sessions.create({}))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(dropped)
        assert.isTrue((yield* harness.agent.state).isStreaming)
        const changing = yield* Effect.fork(harness.sessions.create({}))
        yield* Effect.yieldNow()
        const prompting = yield* Effect.fork(harness.agent.prompt({ text: "Third" }))
        yield* Effect.yieldNow()
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(changing)
        assert.strictEqual((yield* Effect.flip(Fiber.join(prompting)))._tag, "AgentClosing")
        yield* ask(harness, "Third")
        assert.deepStrictEqual(texts(yield* harness.session.entries), ["Third", "after"])
      })
    )
  )

  it.effect("an abort that comes together with a change does not lose sight of the run that follows", () =>
    run({ turns: [hang, hang] }, (harness) =>
      Effect.gen(function* () {
        const { events, sessions } = harness
        yield* harness.agent.prompt({ text: "First" })
        const aborting = yield* Effect.fork(harness.agent.abort())
        const second = Effect.suspend(() => harness.agent.prompt({ text: "Second" }))
        const changing = yield* Effect.fork(Effect.zipRight(sessions.create({}), second))
        yield* Effect.zipRight(Fiber.join(changing), Fiber.join(aborting))
        yield* harness.agent.abort()
        assert.isFalse((yield* harness.agent.state).isStreaming)
        assert.strictEqual(events.filter(({ _tag }) => _tag === "RunEnded").length, 2)
      })
    )
  )

  it.effect("navigating stays in the session, renaming does not even touch the run", () =>
    midRun((harness) =>
      Effect.gen(function* () {
        yield* harness.sessions.rename("  a\tname ")
        assert.isTrue((yield* harness.agent.state).isStreaming)
        assert.deepStrictEqual((yield* harness.session.info).name, Option.some("a name"))
        const from = harness.events.length
        assert.strictEqual(yield* harness.sessions.navigate({ entryId: "entry-3" }), "Second")
        assert.deepStrictEqual(summary(harness.events.slice(from)).slice(2), ended)
        assert.strictEqual(yield* harness.session.leafId, "entry-2")
        assert.strictEqual(yield* harness.sessions.navigate({ entryId: "entry-4" }), undefined)
        assert.strictEqual(yield* harness.session.leafId, "entry-4")
        assert.strictEqual(yield* harness.sessions.navigate({ entryId: "entry-1" }), "First")
        assert.strictEqual(yield* harness.session.leafId, null)
        assert.strictEqual(yield* sessionId(harness), "session-2")
        assert.deepStrictEqual((yield* harness.session.info).name, Option.some("a name"))
        assert.strictEqual((yield* Effect.flip(harness.sessions.clone))._tag, "NothingToClone")
      })
    )
  )
})

describe("what a session brings along", () => {
  const other = { ...model, id: "other" }
  const thinker = { ...model, id: "thinker", reasoning: true }
  const gone = { ...model, id: "gone" }
  const models = [other, thinker, gone]

  it.effect("the level that was asked for comes back after a model that cannot think, also in a resumed session", () =>
    run({ models }, (harness) =>
      Effect.gen(function* () {
        const level = Effect.map(
          Effect.suspend(() => harness.agent.state),
          ({ thinkingLevel }) => thinkingLevel
        )
        yield* harness.controls.setModel("scripted", "thinker")
        assert.strictEqual(yield* level, "medium", "nobody had asked for anything else")
        yield* harness.controls.setThinkingLevel("high")
        yield* harness.controls.setModel("scripted", "other")
        assert.strictEqual(yield* level, "off")
        yield* harness.controls.setModel("scripted", "thinker")
        assert.strictEqual(yield* level, "high")
        yield* harness.controls.setModel("scripted", "other")
        yield* harness.controls.setThinkingLevel("low")
        yield* harness.sessions.create({})
        yield* harness.sessions.open("session-1")
        assert.strictEqual(yield* level, "off")
        yield* harness.controls.setModel("scripted", "thinker")
        assert.strictEqual(yield* level, "low")
      })
    )
  )

  it.effect("its model and level come back, unless others are wanted or they cannot be had", () =>
    Effect.gen(function* () {
      let usable = true
      const available = ({ id }: typeof model) => id !== "gone" || usable
      yield* run({ models, available }, (harness) =>
        Effect.gen(function* () {
          const { events, sessions } = harness
          const switchTo = (reference: string, options?: Parameters<typeof sessions.open>[1]) =>
            Effect.gen(function* () {
              const from = events.length
              yield* sessions.open(reference, options)
              const { model: now, thinkingLevel } = yield* harness.agent.state
              return [words(events.slice(from)), now?.id, thinkingLevel]
            })
          yield* harness.controls.setModel("scripted", "thinker")
          yield* harness.controls.setThinkingLevel("high")
          yield* sessions.create({})
          assert.deepInclude(yield* harness.agent.state, { model: thinker, thinkingLevel: "high" })
          yield* harness.controls.setModel("scripted", "gone")
          yield* sessions.create({})
          yield* harness.controls.setModel("scripted", "other")
          assert.deepStrictEqual(yield* switchTo("session-1"), [["thinker", "high"], "thinker", "high"])
          assert.deepStrictEqual(yield* switchTo("session-3"), [["other", "off"], "other", "off"])
          usable = false
          assert.deepStrictEqual(yield* switchTo("session-2"), [[], "other", "off"])
          const wanted = { model: { provider: "scripted", modelId: "other" } }
          assert.deepStrictEqual(yield* switchTo("session-1", wanted), [[], "other", "off"])
          assert.deepInclude((yield* harness.session.entries).at(-1), { type: "model_change", modelId: "other" })
          const entries = yield* harness.session.entries
          assert.deepStrictEqual(yield* switchTo("session-1"), [[], "other", "off"])
          assert.deepStrictEqual(yield* harness.session.entries, entries)
          const thinks = { model: { provider: "scripted", modelId: "thinker" } }
          assert.deepStrictEqual(yield* switchTo("session-1", thinks), [["thinker", "high"], "thinker", "high"])
          assert.deepInclude((yield* harness.session.entries).at(-1), { type: "model_change", modelId: "thinker" })
        })
      )
    })
  )

  it.effect("what the host has set stays in force in a new session", () =>
    run({}, (harness) =>
      Effect.gen(function* () {
        const { agent, compactions, controls, service, sessions } = harness
        yield* service(Retries).setEnabled(false)
        yield* compactions.setEnabled(false)
        yield* controls.setSteeringMode("all")
        yield* controls.setFollowUpMode("all")
        yield* controls.setInterruptMode("wait")
        yield* agent.enqueue("steering", { text: "S" })
        const before = yield* agent.state
        yield* agent.close
        yield* sessions.create({})
        const { queue, sessionId, ...after } = yield* harness.agent.state
        assert.deepInclude(after, {
          autoRetryEnabled: false,
          autoCompactionEnabled: false,
          steeringMode: "all",
          followUpMode: "all",
          interruptMode: "wait"
        })
        assert.notStrictEqual(sessionId, before.sessionId)
        assert.isAbove(queue.revision, before.queue.revision)
        assert.strictEqual((yield* Effect.flip(harness.agent.prompt({ text: "x" })))._tag, "AgentClosing")
      })
    )
  )

  it.effect("its budget counts what it has spent, and a new one has spent nothing", () =>
    run(
      {
        turns: [say("spent"), say("fresh"), say("copied")],
        budget: { maxTurns: 1 }
      },
      (harness) =>
        Effect.gen(function* () {
          const isSpent = Effect.map(
            Effect.either(Effect.suspend(() => harness.agent.prompt({ text: "x" }))),
            ({ _tag }) => _tag === "Left"
          )
          yield* ask(harness, "Use it")
          assert.isTrue(yield* isSpent)
          yield* harness.sessions.create({})
          yield* ask(harness, "Again")
          yield* harness.sessions.open("session-1")
          assert.isTrue(yield* isSpent)
          yield* harness.sessions.clone
          assert.isTrue(yield* isSpent)
          yield* harness.sessions.branch("entry-1")
          assert.isFalse(yield* isSpent)
        })
    )
  )

  it.effect("every session has tools and a budget of its own, closed with it", () =>
    Effect.gen(function* () {
      const lives: Array<string> = []
      const live = (what: string) =>
        Effect.flatMap(Session, ({ info }) =>
          Effect.flatMap(info, ({ sessionId }) =>
            Effect.acquireRelease(
              Effect.sync(() => void lives.push(`${what} of ${sessionId}`)),
              () => Effect.sync(() => void lives.push(`no ${what} of ${sessionId}`))
            )
          )
        )
      const open = SessionToolSet.make({ own: Effect.succeed([]), offered: Effect.succeed([]) })
      const parts = {
        tools: Layer.succeed(Tools, { open: () => Effect.as(live("tools"), open) }),
        budget: Layer.succeed(Budget, { open: () => Effect.as(live("budget"), Budgets.unlimited) })
      }
      yield* Effect.scoped(
        Effect.flatMap(TestAgent.make({}, parts), ({ sessions }) =>
          Effect.gen(function* () {
            const changes = yield* sessions.changes
            assert.deepStrictEqual(lives.splice(0), ["budget of session-1", "tools of session-1"])
            yield* changes.create({})
            const left = ["no tools of session-1", "no budget of session-1"]
            assert.deepStrictEqual(lives.splice(0), ["budget of session-2", "tools of session-2", ...left])
            yield* changes.rename("kept")
            assert.deepStrictEqual(lives, [])
          })
        )
      )
      assert.deepStrictEqual(lives, ["no tools of session-2", "no budget of session-2"])
    })
  )

  it.effect("a session that hangs while it is opened can be given up, and the one before is as good as before", () =>
    Effect.gen(function* () {
      let opened = 0
      const tools = SessionToolSet.make({ own: Effect.succeed([]), offered: Effect.succeed([]) })
      const hangs = Effect.suspend(() => (opened++ === 0 ? Effect.succeed(tools) : Effect.never))
      const logs: Array<string> = []
      const store = Layer.effect(
        SessionStore,
        Effect.map(MemorySessionStore.make({ cwd: "/" }), (made) => ({
          ...made,
          create: (options: Parameters<typeof made.create>[0]) =>
            Effect.tap(made.create(options), ({ header }) =>
              Effect.addFinalizer(() => Effect.sync(() => void logs.push(`closed ${header.id}`)))
            )
        }))
      )
      const parts = { store, tools: Layer.succeed(Tools, { open: () => hangs }) }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { agent, session, sessions } = yield* TestAgent.make({ turns: [say("still here")] }, parts)
          const changes = yield* sessions.changes
          for (const change of [changes.create({}), changes.open("session-1")]) {
            const changing = yield* Effect.fork(change)
            yield* Effect.repeatN(Effect.yieldNow(), 20)
            assert.isNull(changing.unsafePoll())
            yield* Fiber.interrupt(changing)
          }
          assert.deepStrictEqual(logs, ["closed session-2"])
          yield* Effect.zipRight(agent.prompt({ text: "First" }), agent.awaitIdle)
          assert.deepStrictEqual(texts(yield* session.entries), ["First", "still here"])
          assert.isFalse(yield* sessions.hasLostWrites)
        })
      )
      assert.deepStrictEqual(logs, ["closed session-2", "closed session-1"])
    })
  )

  it.effect("two sessions side by side share nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const turns = [say("one"), hang, say("two")]
        const { agent, events, script, session, sessions, store, supervision } = yield* TestAgent.make({ turns })
        yield* Effect.zipRight(agent.prompt({ text: "First" }), agent.awaitIdle)
        yield* agent.prompt({ text: "Hangs" })
        yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(script.open, (open) => open === 1) })
        const heard = events.length
        const [others, messages] = yield* Effect.scoped(
          Effect.gen(function* () {
            const beside = yield* sessions.open(store.create({}))
            const other = Context.get(beside, Agent)
            const happened: Array<AgentEvent> = []
            yield* other.events.attach({ offer: (event) => happened.push(event), ready: Effect.void })
            yield* other.enqueue("steering", { text: "S" })
            assert.deepStrictEqual((yield* agent.queue.current).steering, [])
            yield* Effect.zipRight(other.prompt({ text: "Second" }), other.awaitIdle)
            assert.isTrue((yield* agent.state).isStreaming)
            assert.notStrictEqual((yield* other.state).sessionId, (yield* agent.state).sessionId)
            assert.notStrictEqual(Context.get(beside, SessionCore).supervision.root, supervision.root)
            return [happened, yield* Context.get(beside, Session).messages] as const
          })
        )
        assert.strictEqual(events.length, heard, "the host hears nothing of it")
        assert.deepStrictEqual(violations(others), [])
        assert.deepStrictEqual(
          messages.map(({ role }) => role),
          ["user", "user", "assistant"]
        )
        assert.deepStrictEqual(texts(yield* session.entries), ["First", "one", "Hangs"])
        assert.isTrue((yield* agent.state).isStreaming)
        yield* agent.abort()
        assert.deepStrictEqual(violations(events), [])
      })
    )
  )
})

describe("sessions of a folder", () => {
  it.effect("the newest with messages is resumed, else there is a new one, and later ones are made there", () =>
    run({ turns: [say("one"), hang], folders: ["/a", "/b"] }, (harness) =>
      Effect.gen(function* () {
        const { events, sessions } = harness
        const cwd = Effect.map(
          Effect.suspend(() => harness.session.info),
          ({ header }) => header.cwd
        )
        assert.deepStrictEqual(yield* sessions.openNewest("/a"), { resumed: false })
        assert.strictEqual(yield* cwd, "/a")
        yield* ask(harness, "First")
        const id = yield* sessionId(harness)
        yield* sessions.create({})
        assert.strictEqual(yield* cwd, "/a")
        assert.strictEqual((yield* sessions.list).length, 2)
        assert.deepStrictEqual(yield* sessions.openNewest("/b"), { resumed: false })
        assert.deepStrictEqual(yield* sessions.openNewest("/a"), { resumed: true })
        assert.strictEqual(yield* sessionId(harness), id)
        yield* harness.agent.prompt({ text: "Second" })
        const from = events.length
        assert.deepStrictEqual(yield* sessions.openNewest("/a"), { resumed: true })
        assert.deepStrictEqual(events.slice(from), [])
        assert.isTrue((yield* harness.agent.state).isStreaming)
      })
    )
  )
})
