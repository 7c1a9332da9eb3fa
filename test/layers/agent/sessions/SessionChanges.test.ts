import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Ref } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import type { SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import { output, summary, tool } from "../../../support/agent/AgentHarness.ts"
import { call, model, say } from "../../../support/agent/ScriptedModel.ts"
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

  it.effect.each<readonly [string, Change, string]>([
    ["the store is full", create, "StoreFailure"],
    ["no such session", ({ sessions }) => sessions.open("nowhere"), "SessionNotFound"],
    [
      "no such model",
      ({ sessions }) => sessions.open("session-1", { model: { provider: "x", modelId: "y" } }),
      "ModelUnavailable"
    ],
    ["not a message", ({ sessions }) => sessions.branch("nope"), "NotABranchPoint"],
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
        yield* harness.agent.abort
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

  it.effect("prompts wait for a change that is going on; an interrupt of it changes nothing", () =>
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
        yield* Effect.zipRight(Fiber.join(changing), Fiber.join(prompting))
        yield* harness.agent.awaitIdle
        assert.deepStrictEqual(texts(yield* harness.session.entries), ["Third", "after"])
      })
    )
  )

  it.effect("an abort that comes together with a change does not lose sight of the run that follows", () =>
    run({ turns: [hang, hang] }, ({ agent, events, sessions }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "First" })
        const aborting = yield* Effect.fork(agent.abort)
        const changing = yield* Effect.fork(Effect.zipRight(sessions.create({}), agent.prompt({ text: "Second" })))
        yield* Effect.zipRight(Fiber.join(changing), Fiber.join(aborting))
        yield* agent.abort
        assert.isFalse((yield* agent.state).isStreaming)
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

  it.effect("its model and level come back, unless others are wanted or they cannot be had", () =>
    Effect.gen(function* () {
      let usable = true
      const available = ({ id }: typeof model) => id !== "gone" || usable
      yield* run({ models, available }, (harness) =>
        Effect.gen(function* () {
          const { agent, events, session, sessions } = harness
          const switchTo = (reference: string, options?: Parameters<typeof sessions.open>[1]) =>
            Effect.gen(function* () {
              const from = events.length
              yield* sessions.open(reference, options)
              const { model: now, thinkingLevel } = yield* agent.state
              return [words(events.slice(from)), now?.id, thinkingLevel]
            })
          yield* agent.setModel("scripted", "thinker")
          yield* agent.setThinkingLevel("high")
          yield* sessions.create({})
          assert.deepInclude(yield* agent.state, { model: thinker, thinkingLevel: "high" })
          yield* agent.setModel("scripted", "gone")
          yield* sessions.create({})
          yield* agent.setModel("scripted", "other")
          assert.deepStrictEqual(yield* switchTo("session-1"), [["thinker", "high"], "thinker", "high"])
          assert.deepStrictEqual(yield* switchTo("session-3"), [["other", "off"], "other", "off"])
          usable = false
          assert.deepStrictEqual(yield* switchTo("session-2"), [[], "other", "off"])
          const wanted = { model: { provider: "scripted", modelId: "other" } }
          assert.deepStrictEqual(yield* switchTo("session-1", wanted), [[], "other", "off"])
          assert.deepInclude((yield* session.entries).at(-1), { type: "model_change", modelId: "other" })
          const entries = yield* session.entries
          assert.deepStrictEqual(yield* switchTo("session-1"), [[], "other", "off"])
          assert.deepStrictEqual(yield* session.entries, entries)
        })
      )
    })
  )

  it.effect("its budget counts what it has spent, and a new one has spent nothing", () =>
    run(
      {
        turns: [call(["A", "t", {}]), say("fresh"), say("copied")],
        tools: [tool("t", () => Effect.succeed(output("ok")))],
        budget: { tool_calls: 0 }
      },
      (harness) =>
        Effect.gen(function* () {
          const isSpent = Effect.map(Effect.either(harness.agent.prompt({ text: "x" })), ({ _tag }) => _tag === "Left")
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

  it.effect("tools forget another conversation, and remember the one that a copy goes on with", () =>
    run({ turns: [say("one")] }, (harness) =>
      Effect.gen(function* () {
        yield* ask(harness, "First")
        const { log, sessions } = harness
        const forgets = (change: Effect.Effect<unknown, unknown>) =>
          Effect.map(
            Effect.zipRight(
              Effect.sync(() => log.splice(0)),
              change
            ),
            () => log.includes("forget")
          )
        assert.isFalse(yield* forgets(sessions.clone))
        assert.isFalse(yield* forgets(sessions.branch("entry-1")))
        assert.isTrue(yield* forgets(sessions.open("session-1")))
        assert.isFalse(yield* forgets(sessions.navigate({ entryId: "entry-1" })))
        assert.isTrue(yield* forgets(sessions.create({})))
      })
    )
  )
})

describe("sessions of a folder", () => {
  it.effect("the newest with messages is resumed, else there is a new one, and later ones are made there", () =>
    run({ turns: [say("one"), hang], folders: ["/a", "/b"] }, (harness) =>
      Effect.gen(function* () {
        const { agent, events, session, sessions } = harness
        const cwd = Effect.map(session.info, ({ header }) => header.cwd)
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
        yield* agent.prompt({ text: "Second" })
        const from = events.length
        assert.deepStrictEqual(yield* sessions.openNewest("/a"), { resumed: true })
        assert.deepStrictEqual(events.slice(from), [])
        assert.isTrue((yield* agent.state).isStreaming)
      })
    )
  )
})
