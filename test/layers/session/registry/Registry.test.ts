/** The open sessions of a process: several hosts, leases, and what must not pass from one session to another. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as EventLoop from "../../../../src/layers/machine/engine/EventLoop.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import { standard } from "../../../../src/layers/session/standard.ts"
import { Agent } from "../../../../src/services/Agent.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import * as SessionModule from "../../../../src/services/session/SessionModule.ts"
import type { Sessions } from "../../../../src/services/session/Sessions.ts"
import { SessionStore } from "../../../../src/services/storage/SessionStore.ts"
import { violations } from "../../../support/agent/EventGrammar.ts"
import { say } from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const heard = Effect.fnUntraced(function* (sessions: typeof Sessions.Service) {
  const events: Array<AgentEvent> = []
  yield* sessions.attach({ offer: (event) => void events.push(event), ready: Effect.void })
  return events
})

const ask = (sessions: typeof Sessions.Service, text: string) =>
  Effect.flatMap(sessions.current, (session) => {
    const { awaitIdle, prompt } = Context.get(session, Agent)
    return Effect.zipRight(prompt({ text }), awaitIdle)
  })

const idOf = (sessions: typeof Sessions.Service) =>
  Effect.map(
    Effect.flatMap(sessions.current, (session) => Context.get(session, Session).info),
    ({ sessionId }) => sessionId
  )

/** Counts the logs that are open. */
const counted = () => {
  const open = new Set<string>()
  const layer = Layer.effect(
    SessionStore,
    Effect.map(MemorySessionStore.make({ cwd: "/" }), (memory) => ({
      ...memory,
      create: (more: Parameters<typeof memory.create>[0]) =>
        Effect.flatMap(memory.create(more), (log) =>
          Effect.as(
            Effect.acquireRelease(
              Effect.sync(() => open.add(log.header.id)),
              () => Effect.sync(() => open.delete(log.header.id))
            ),
            log
          )
        )
    }))
  )
  return { open, layer }
}

it.scoped("two hosts are each in a session of their own, go to others alone, and hear nothing of each other", () =>
  Effect.gen(function* () {
    const turns = [say("one"), say("two"), say("three"), say("four")]
    const { events, registry, sessions, store } = yield* TestAgent.make({ turns })
    const scope = yield* Scope.make()
    const other = yield* Scope.extend(registry.host(store.create({})), scope)
    const others = yield* Scope.extend(heard(other), scope)
    const before = events.length
    yield* ask(other, "Second")
    assert.strictEqual(events.length, before)
    const heardOfOne = others.length
    assert.isAbove(heardOfOne, 0)
    yield* ask(sessions, "First")
    assert.strictEqual(others.length, heardOfOne)
    const [mine, its] = [yield* idOf(sessions), yield* idOf(other)]
    assert.deepStrictEqual(yield* registry.ids, [mine, its])
    yield* Effect.flatMap(other.changes, ({ create }) => create({}))
    assert.strictEqual(yield* idOf(sessions), mine)
    const next = yield* idOf(other)
    assert.deepStrictEqual(yield* registry.ids, [mine, next])
    assert.deepInclude(
      others.find(({ _tag }) => _tag === "SessionChanged"),
      { sessionId: next }
    )
    assert.isFalse(events.some(({ _tag }) => _tag === "SessionChanged"))
    yield* ask(other, "Third")
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* registry.ids, [mine])
    yield* ask(sessions, "Fourth")
    assert.deepStrictEqual([violations(events), violations(others)], [[], []])
  })
)

it.scoped("a session is open as long as somebody holds it, and its log is closed after it", () =>
  Effect.gen(function* () {
    const { layer, open } = counted()
    const { registry, sessions } = yield* TestAgent.make({}, { store: layer })
    const id = yield* idOf(sessions)
    const scope = yield* Scope.make()
    const held = yield* Scope.extend(registry.lease(id), scope)
    assert.strictEqual(Option.getOrUndefined(held), yield* sessions.current)
    yield* Effect.flatMap(sessions.changes, ({ create }) => create({}))
    const next = yield* idOf(sessions)
    assert.deepStrictEqual(
      [yield* registry.ids, [...open]],
      [
        [id, next],
        [id, next]
      ]
    )
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual([yield* registry.ids, [...open]], [[next], [next]])
    assert.isTrue(Option.isNone(yield* registry.lease(id)))
  })
)

it.scoped("a session that is opened anew keeps its log, and there is one of it", () =>
  Effect.gen(function* () {
    const { layer, open } = counted()
    const { registry, session, sessions } = yield* TestAgent.make({ turns: [say("one")] }, { store: layer })
    yield* ask(sessions, "First")
    const id = yield* idOf(sessions)
    const { epoch } = yield* session.info
    yield* Effect.flatMap(sessions.changes, (changes) => changes.open(id))
    const info = yield* Effect.flatMap(sessions.current, (now) => Context.get(now, Session).info)
    assert.strictEqual(info.sessionId, id)
    assert.notStrictEqual(info.epoch, epoch)
    assert.deepStrictEqual([yield* registry.ids, [...open]], [[id], [id]])
  })
)

it.scoped(
  "a session finds no service of the one in which it was asked for, and can be closed though it was opened masked",
  () =>
    Effect.gen(function* () {
      const found: Array<boolean> = []
      const curious = SessionModule.contributing(
        "curious",
        Effect.map(Effect.serviceOption(Agent), (agent) => {
          found.push(Option.isSome(agent))
          return {}
        })
      )
      const endless = SessionModule.contributing("endless", Effect.as(Effect.forkScoped(Effect.never), {}))
      const { registry, sessions, store } = yield* TestAgent.make({}, { plan: standard.add(curious).add(endless) })
      const beside = Effect.scoped(Effect.zipRight(sessions.open(store.create({})), registry.ids))
      const inside = Effect.provide(Effect.uninterruptible(beside), yield* sessions.current)
      assert.strictEqual((yield* inside).length, 2)
      assert.strictEqual((yield* registry.ids).length, 1)
      assert.deepStrictEqual(found, [false, false])
    })
)

it.scoped("a part that dies while a session is built or closed ends that session only", () =>
  Effect.gen(function* () {
    const { layer, open } = counted()
    let dies: "never" | "built" | "closed" = "never"
    const mortal = SessionModule.contributing(
      "mortal",
      Effect.gen(function* () {
        if (dies === "built") return yield* Effect.dieMessage("no such module")
        if (dies === "closed") yield* Effect.addFinalizer(() => Effect.dieMessage("no end"))
        return {}
      })
    )
    const parts = { store: layer, plan: standard.add(mortal) }
    const { registry, sessions, store } = yield* TestAgent.make({ turns: [say("one"), say("two")] }, parts)
    const id = yield* idOf(sessions)
    dies = "built"
    const { create } = yield* sessions.changes
    assert.isTrue(Exit.isFailure(yield* Effect.exit(create({}))))
    assert.deepStrictEqual([yield* registry.ids, [...open]], [[id], [id]])
    yield* ask(sessions, "Still here")
    dies = "closed"
    yield* Effect.scoped(sessions.open(store.create({})))
    assert.deepStrictEqual([yield* registry.ids, [...open]], [[id], [id]])
    dies = "never"
    yield* create({})
    yield* ask(sessions, "And there")
  })
)

it.scoped(
  "500 sessions that are opened and closed leave nothing behind",
  () =>
    Effect.gen(function* () {
      const { registry, sessions, store } = yield* TestAgent.make({})
      const seen: Array<WeakRef<typeof Agent.Service>> = []
      const one = Effect.scoped(
        Effect.map(
          sessions.open(store.create({})),
          (session) => void seen.push(new WeakRef(Context.get(session, Agent)))
        )
      )
      yield* Effect.repeatN(one, 249)
      const together = yield* Scope.make()
      for (let n = 0; n < 250; n++) {
        const session = yield* Scope.extend(sessions.open(store.create({})), together)
        seen.push(new WeakRef(Context.get(session, Agent)))
      }
      assert.strictEqual((yield* registry.ids).length, 251)
      yield* Scope.close(together, Exit.void)
      assert.strictEqual((yield* registry.ids).length, 1)
      const left = () => {
        Bun.gc(true)
        return seen.filter((ref) => ref.deref() !== undefined).length
      }
      // The stack may still have the last ones.
      yield* Effect.repeat(EventLoop.nextTurn, { until: () => left() < 10, times: 20 })
      assert.isBelow(left(), 10)
    }),
  60_000
)
