import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, type Scope, TestClock } from "effect"
import type { AssistantMessage } from "../../../../src/domain/conversation/Message.ts"
import type { NewEntry, SessionEntry } from "../../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import * as CurrentSession from "../../../../src/layers/session/core/CurrentSession.ts"
import * as MemorySessionStore from "../../../../src/layers/storage/sessions/MemorySessionStore.ts"
import * as SessionStart from "../../../../src/layers/storage/sessions/SessionStart.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import {
  type SessionLog,
  type SessionMoved,
  SessionStore,
  StoreFailure
} from "../../../../src/services/storage/SessionStore.ts"
import * as FixedIds from "../../../support/agent/FixedIds.ts"
import * as FullStore from "../../../support/sessions/FullStore.ts"

const said = (text: string): NewEntry => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text }], timestamp: 0 }
})
const answer: AssistantMessage = {
  role: "assistant",
  content: [
    { type: "toolCall", id: "c1", name: "bash", arguments: {} },
    { type: "toolCall", id: "c2", name: "read", arguments: {} }
  ],
  api: "x",
  provider: "p",
  model: "m",
  usage: Usage.zero,
  stopReason: "toolUse",
  timestamp: 0
}
const placed = (entry: NewEntry, id: string, parentId: string | null): SessionEntry => ({
  ...entry,
  id,
  parentId,
  timestamp: "1970-01-01T00:00:00.000Z"
})
const cutOff = [placed(said("go"), "a", null), placed({ type: "message", message: answer }, "b", "a")]

/** A log that keeps what it is given, unless `append` says otherwise. */
const makeLog = (entries: ReadonlyArray<SessionEntry>, append?: SessionLog["append"]) => {
  const stored: Array<ReadonlyArray<string>> = []
  const log: SessionLog = {
    header: { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" },
    file: Option.none(),
    entries,
    append: append ?? ((added) => Effect.sync(() => void stored.push(added.map(({ id }) => id)))),
    sync: Effect.void
  }
  return { log, stored }
}

const sessionOf = (open: Effect.Effect<SessionLog, never, Scope.Scope>) =>
  CurrentSession.layer.pipe(Layer.provide(CurrentSession.layerLog(open)), Layer.provide(FixedIds.layer))

const inSession = <A, E, R>(log: SessionLog, body: (session: typeof Session.Service) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Session, body).pipe(Effect.scoped, Effect.provide(sessionOf(Effect.succeed(log))))

describe("calls that were cut off", () => {
  it.effect("have a result at once, which is stored with what comes next, in the same write", () => {
    const { log, stored } = makeLog(cutOff)
    return inSession(log, (session) =>
      Effect.gen(function* () {
        const results = (yield* session.messages).slice(2)
        const content = [
          { type: "text", text: "Tool execution was interrupted (session recovery). Its effects are unknown." }
        ]
        assert.deepStrictEqual<ReadonlyArray<unknown>>(results, [
          { role: "toolResult", toolCallId: "c1", toolName: "bash", content, isError: true, timestamp: 0 },
          { role: "toolResult", toolCallId: "c2", toolName: "read", content, isError: true, timestamp: 0 }
        ])
        assert.deepStrictEqual(stored, [])
        yield* session.append(said("next"))
        assert.deepStrictEqual(stored, [["entry-1", "entry-2", "entry-3"]])
        assert.strictEqual((yield* session.branch).at(-1)?.parentId, "entry-2")
      })
    )
  })

  it.effect("also in a session that is entered later", () =>
    inSession(makeLog([]).log, (session) =>
      Effect.gen(function* () {
        yield* session.continueIn(Effect.succeed(makeLog(cutOff).log))
        assert.strictEqual(yield* session.messageCount, 4)
      })
    )
  )
})

it.effect("appends that overlap are stored one after the other, in the order of the tree", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const stored: Array<string> = []
    const { log } = makeLog([], (added) =>
      Effect.zipRight(
        stored.length === 0 ? Deferred.await(gate) : Effect.void,
        Effect.sync(() => void stored.push(...added.map(({ id }) => id)))
      )
    )
    yield* inSession(log, (session) =>
      Effect.gen(function* () {
        const first = yield* Effect.fork(session.append(said("1")))
        yield* Effect.yieldNow()
        const others = yield* Effect.fork(
          Effect.all([session.append(said("2")), session.append(said("3"))], { concurrency: "unbounded" })
        )
        yield* Effect.yieldNow()
        assert.deepStrictEqual(stored, [])
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(others)
        assert.deepStrictEqual(stored, ["entry-1", "entry-2", "entry-3"])
        assert.deepStrictEqual(
          (yield* session.entries).map(({ id }) => id),
          stored
        )
      })
    )
  })
)

it.effect("a store that fails is told of once; the session goes on in memory, and the next one is stored again", () => {
  let asked = 0
  const reason = new StoreFailure({ operation: "append", reference: "x", detail: "full" })
  const { log } = makeLog([], () =>
    Effect.zipRight(
      Effect.sync(() => void (asked += 1)),
      reason
    )
  )
  const { log: other, stored } = makeLog([])
  return inSession(log, (session) =>
    Effect.gen(function* () {
      const heard: Array<StoreFailure | SessionMoved> = []
      yield* session.watchFailures((failure) => heard.push(failure))
      yield* session.append(said("1"))
      yield* session.append(said("2"))
      yield* session.sync
      assert.deepStrictEqual([heard, asked], [[reason], 1])
      assert.strictEqual(yield* session.messageCount, 2)
      assert.deepStrictEqual(yield* session.persistFailure, Option.some(reason))
      yield* session.continueIn(Effect.succeed(other))
      yield* session.append(said("3"))
      assert.strictEqual(stored.length, 1)
      assert.deepStrictEqual([yield* session.persistFailure, yield* session.hasLostWrites], [Option.none(), true])
    })
  )
})

it.effect("a log is closed when the session leaves it, and the last one when the session ends", () =>
  Effect.gen(function* () {
    const closed: Array<string> = []
    const opening = (name: string) =>
      Effect.acquireRelease(Effect.succeed(makeLog([]).log), () => Effect.sync(() => void closed.push(name)))
    yield* Effect.gen(function* () {
      const session = yield* Session
      yield* session.continueIn(opening("second"))
      assert.deepStrictEqual(closed, ["first"])
      const failing = Effect.zipRight(opening("third"), Effect.fail("no"))
      assert.strictEqual(yield* Effect.flip(session.continueIn(failing)), "no")
      assert.deepStrictEqual(closed, ["first", "third"])
      yield* session.append(said("still in the second"))
    }).pipe(Effect.provide(sessionOf(opening("first"))))
    assert.deepStrictEqual(closed, ["first", "third", "second"])
  })
)

describe("places in the tree", () => {
  const tree = [placed(said("1"), "a", null), placed(said("2"), "b", "a"), placed(said("3"), "c", "a")]
  const ids = (entries: ReadonlyArray<SessionEntry>) => entries.map(({ id }) => id).join("")

  it.effect("branchTo answers the path to any entry, to nothing for the root, and fails for an unknown one", () =>
    inSession(makeLog(tree).log, ({ branch, branchTo }) =>
      Effect.gen(function* () {
        assert.strictEqual(ids(yield* branch), "ac")
        assert.strictEqual(ids(yield* branchTo("b")), "ab")
        assert.strictEqual(ids(yield* branchTo(null)), "")
        const { _tag, entryId } = yield* Effect.flip(branchTo("x"))
        assert.deepStrictEqual([_tag, entryId], ["EntryNotFound", "x"])
      })
    )
  )

  it.effect("moveTo changes the leaf, which the next entry becomes the child of", () => {
    const { log, stored } = makeLog(tree)
    return inSession(log, ({ append, branch, leafId, moveTo }) =>
      Effect.gen(function* () {
        yield* moveTo("b")
        assert.deepStrictEqual([yield* leafId, ids(yield* branch)], ["b", "ab"])
        assert.strictEqual((yield* append(said("4"))).parentId, "b")
        yield* moveTo(null)
        assert.deepStrictEqual([yield* leafId, ids(yield* branch)], [null, ""])
        assert.strictEqual((yield* append(said("5"))).parentId, null)
        assert.strictEqual((yield* Effect.flip(moveTo("x"))).entryId, "x")
        assert.strictEqual(yield* leafId, "entry-2")
        assert.deepStrictEqual(stored, [["entry-1"], ["entry-2"]])
      })
    )
  })
})

describe("where a process begins", () => {
  const start = (choice: SessionStart.SessionChoice, store = MemorySessionStore.layer) => {
    const ids = Layer.provideMerge(store({ cwd: "/" }), FixedIds.layer)
    return Effect.gen(function* () {
      const kept = yield* SessionStore
      for (const [sessionId, time] of [
        ["one", 1],
        ["two", 2]
      ] as const) {
        const entry = { ...placed(said(sessionId), "a", null), timestamp: `1970-01-01T00:00:0${time}.000Z` }
        yield* Effect.scoped(kept.create({ sessionId, entries: [entry] }))
      }
      return yield* Effect.gen(function* () {
        const session = yield* Session
        yield* SessionStart.rename(choice, session)
        const { name, sessionId } = yield* session.info
        return [sessionId, yield* session.messageCount, Option.getOrUndefined(name)]
      }).pipe(
        Effect.provide(CurrentSession.layer.pipe(Layer.provide(CurrentSession.layerLog(SessionStart.openLog(choice)))))
      )
    }).pipe(Effect.scoped, Effect.provide(ids))
  }
  const rows: ReadonlyArray<readonly [SessionStart.SessionChoice, ReadonlyArray<unknown>]> = [
    [{}, ["session-1", 0, undefined]],
    [{ name: "mine" }, ["session-1", 0, "mine"]],
    [{ session: "on" }, ["one", 1, undefined]],
    [{ session: "./new.jsonl" }, ["session-1", 0, undefined]],
    [{ continue: true, name: "again" }, ["two", 1, "again"]],
    [{ fork: "one" }, ["session-1", 1, undefined]],
    [{ sessionId: "one" }, ["one", 1, undefined]],
    [{ sessionId: "on" }, ["on", 0, undefined]]
  ]
  for (const [choice, wanted] of rows) {
    it.effect(JSON.stringify(choice), () => Effect.map(start(choice), (found) => assert.deepStrictEqual(found, wanted)))
  }

  it.effect("one that is not there is a failure", () =>
    Effect.map(Effect.flip(start({ session: "three" })), ({ message }) =>
      assert.strictEqual(message, "Session file not found: three")
    )
  )
  it.effect("a name that cannot be stored is no reason not to start", () =>
    Effect.map(start({ name: "mine" }, FullStore.layer), (found) => assert.strictEqual(found[2], "mine"))
  )
})

describe("a store that hangs", () => {
  const hangs = (after: number) => {
    let asked = 0
    return makeLog([], () => (asked++ < after ? Effect.void : Effect.never)).log
  }

  it.effect("is waited for up to the deadline, then announced like any failure", () =>
    inSession(hangs(1), (session) =>
      Effect.gen(function* () {
        const heard: Array<string> = []
        yield* session.watchFailures(({ message }) => heard.push(message))
        yield* session.append(said("1"))
        const appending = yield* Effect.fork(session.append(said("2")))
        const waiting = yield* Effect.fork(session.append(said("3")))
        yield* TestClock.adjust("4999 millis")
        assert.deepStrictEqual([appending.unsafePoll(), heard], [null, []])
        yield* TestClock.adjust("1 millis")
        yield* Fiber.join(appending)
        yield* Fiber.join(waiting)
        assert.deepStrictEqual(heard, ["Cannot append session s: the store did not answer within 5 seconds"])
        assert.strictEqual(yield* session.messageCount, 3)
        assert.isTrue(yield* session.hasLostWrites)
      })
    )
  )

  it.effect("is not interrupted with its caller, and does not keep the session from closing", () =>
    Effect.gen(function* () {
      const stubborn = makeLog([], () => Effect.uninterruptible(Effect.never)).log
      const closing = yield* Effect.fork(
        inSession(stubborn, (session) =>
          Effect.gen(function* () {
            const appending = yield* Effect.fork(session.append(said("1")))
            yield* Effect.yieldNow()
            yield* Fiber.interruptFork(appending)
          })
        )
      )
      yield* TestClock.adjust("4999 millis")
      assert.isNull(closing.unsafePoll())
      // One deadline for the append, one for the fiber that still hangs when the session closes.
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
    })
  )
})
