import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import { make, settle, turn, turns } from "../../../support/hooks/RelayHarness.ts"

const ended = (content: string): Extract<AgentEvent, { _tag: "MessageEnded" }> => ({
  _tag: "MessageEnded",
  runId: "r",
  messageId: content,
  message: userMessage(content, [], 0)
})
const failed = (extensionPath: string, event: string, error: string): AgentEvent => ({
  _tag: "ExtensionFailed",
  extensionPath,
  event,
  error
})
const late = "did not answer in time; its events are left out until it does"
const isDone = (fiber: Fiber.RuntimeFiber<unknown, unknown>) => fiber.unsafePoll() !== null

describe("an event goes to the sinks within `publish`, without a fiber", () => {
  it.scoped("that no hook watches", () =>
    Effect.gen(function* () {
      const { forked, got, join, relay } = yield* make
      yield* join("other", "RunStarted", () => Effect.never)
      relay.publish(turn(0))
      assert.deepStrictEqual([got, forked()], [[turn(0)], 0])
      yield* relay.flush
      yield* relay.flushSoon
      yield* relay.ready
    })
  )

  it.scoped("whose hooks answer at once, each called before the sinks, in their order", () =>
    Effect.gen(function* () {
      const { forked, got, join, relay } = yield* make
      const seen: Array<string> = []
      const note = (name: string) => () => void seen.push(`${name} ${got.length}`)
      yield* join("a", "TurnStarted", note("a1"), note("a2"))
      const [remove] = yield* join("b", "TurnStarted", note("b"))
      relay.publish(turn(0))
      remove?.()
      relay.publish(turn(1))
      assert.deepStrictEqual(seen, ["a1 0", "a2 0", "b 0", "a1 1", "a2 1"])
      assert.deepStrictEqual([got, forked()], [turns(2), 0])
    })
  )
})

it.scoped("an event waits for its hooks, and those behind it wait for it", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    const gate = yield* Deferred.make<void>()
    const seen: Array<string> = []
    yield* join("slow", "TurnStarted", ({ turnIndex }) => {
      seen.push(`slow ${turnIndex}`)
      return turnIndex === 0 ? Deferred.await(gate) : Effect.void
    })
    yield* join("quick", "TurnStarted", ({ turnIndex }) => void seen.push(`quick ${turnIndex}`))
    relay.publish(turn(0))
    relay.publish({ _tag: "SessionSettled" })
    relay.publish(turn(1))
    const flushing = yield* Effect.fork(relay.flush)
    yield* settle
    assert.deepStrictEqual([got, seen, isDone(flushing)], [[], ["slow 0", "quick 0"], false])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(flushing)
    assert.deepStrictEqual(got, [turn(0), { _tag: "SessionSettled" }, turn(1)])
    assert.deepStrictEqual(seen, ["slow 0", "quick 0", "slow 1", "quick 1"])
  })
)

it.scoped("a hook that throws, fails or dies is reported behind its event, and the others are called", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    const called: Array<string> = []
    yield* join("throws", "TurnStarted", () => {
      throw new Error("thrown")
    })
    yield* join("fails", "TurnStarted", () => Effect.fail({ message: "failed" }))
    yield* join("dies", "TurnStarted", () => Effect.dieMessage("died"))
    yield* join("works", "TurnStarted", () => void called.push("works"))
    relay.publish(turn(0))
    yield* relay.flush
    assert.deepStrictEqual(called, ["works"])
    assert.deepStrictEqual(got, [
      turn(0),
      failed("throws", "TurnStarted", "thrown"),
      failed("fails", "TurnStarted", "failed"),
      failed("dies", "TurnStarted", "died")
    ])
  })
)

it.scoped("a hook that fails whenever a failure is reported is not reported for ever", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    const fail = () => Effect.fail({ message: "failed" })
    yield* join("watcher", "ExtensionFailed", fail, () => {
      throw new Error("thrown")
    })
    yield* join("fails", "TurnStarted", fail)
    relay.publish(turn(0))
    yield* relay.flush
    assert.deepStrictEqual(got, [turn(0), failed("fails", "TurnStarted", "failed")])
  })
)

it.scoped("what a hook publishes comes behind the event at hand", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    yield* join("publisher", "TurnStarted", ({ turnIndex }) => {
      relay.publish({ _tag: "SessionNamed", name: `at once ${turnIndex}` })
      if (turnIndex === 0) return undefined
      return Effect.sync(() => relay.publish({ _tag: "SessionNamed", name: "later" }))
    })
    relay.publish(turn(0))
    assert.deepStrictEqual(got, [turn(0), { _tag: "SessionNamed", name: "at once 0" }])
    relay.publish(turn(1))
    relay.publish(turn(0))
    yield* relay.flush
    assert.deepStrictEqual(got.slice(2), [
      turn(1),
      { _tag: "SessionNamed", name: "at once 1" },
      { _tag: "SessionNamed", name: "later" },
      turn(0),
      { _tag: "SessionNamed", name: "at once 0" }
    ])
  })
)

it.scoped("events that are published together come before what hooks publish at the first of them", () =>
  Effect.gen(function* () {
    const { forked, got, join, relay } = yield* make
    const named = { _tag: "SessionNamed", name: "by a hook" } as const
    yield* join("publisher", "RunStarted", () => relay.publish(named))
    const step = () => {
      relay.publish({ _tag: "RunStarted", runId: "r" })
      relay.publish(turn(0))
      return "made"
    }
    assert.strictEqual(relay.together(step), "made")
    assert.deepStrictEqual([got, forked()], [[{ _tag: "RunStarted", runId: "r" }, turn(0), named], 0])
    yield* join("slow", "TurnStarted", () => Effect.yieldNow())
    relay.together(step)
    relay.together(step)
    yield* relay.flush
    assert.deepStrictEqual(
      got.slice(3).map(({ _tag }) => _tag),
      ["RunStarted", "TurnStarted", "SessionNamed", "RunStarted", "TurnStarted", "SessionNamed"]
    )
  })
)

describe("a hook that does not answer", () => {
  it.scoped("is reported after 5 seconds, left out until it has answered, and then called again", () =>
    Effect.gen(function* () {
      const { got, join, relay } = yield* make
      const gate = yield* Deferred.make<void>()
      const seen: Array<number> = []
      yield* join("stuck", "TurnStarted", ({ turnIndex }) => {
        seen.push(turnIndex)
        return turnIndex === 0 ? Deferred.await(gate) : undefined
      })
      relay.publish(turn(0))
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual(got, [])
      yield* TestClock.adjust("1 millis")
      yield* relay.flush
      assert.deepStrictEqual(got, [turn(0), failed("stuck", "TurnStarted", late)])
      relay.publish(turn(1))
      assert.deepStrictEqual([got.length, seen], [3, [0]])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      relay.publish(turn(2))
      assert.deepStrictEqual([got.length, seen], [4, [0, 2]])
    })
  )

  it.scoped("holds up nobody who waits for longer than 250 ms, whoever asked first", () =>
    Effect.gen(function* () {
      const { got, join, relay } = yield* make
      yield* join("a", "TurnStarted", () => Effect.never)
      yield* join("b", "TurnStarted", () => Effect.never)
      relay.publish(turn(0))
      yield* TestClock.adjust("1 second")
      const waiting = yield* Effect.fork(relay.flush)
      const hurried = yield* Effect.fork(relay.flushSoon)
      const masked = yield* Effect.fork(Effect.uninterruptible(relay.flushSoon))
      yield* TestClock.adjust("249 millis")
      assert.isFalse(isDone(hurried))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.joinAll([waiting, hurried, masked])
      assert.deepStrictEqual(got, [turn(0), failed("a", "TurnStarted", late), failed("b", "TurnStarted", late)])
    })
  )

  it.scoped("counts in the same way when it answers each of many events a little too slowly", () =>
    Effect.gen(function* () {
      const { got, join, relay } = yield* make
      yield* join("slow", "TurnStarted", () => Effect.sleep("200 millis"))
      for (const event of turns(50)) relay.publish(event)
      const hurried = yield* Effect.fork(relay.flushSoon)
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(hurried)
      assert.deepStrictEqual(
        got.filter(({ _tag }) => _tag === "TurnStarted"),
        turns(50)
      )
      // It is asked again once it has answered, and has its usual time.
      yield* TestClock.adjust("200 millis")
      relay.publish(turn(50))
      const flushing = yield* Effect.fork(relay.flush)
      yield* TestClock.adjust("199 millis")
      assert.isFalse(isDone(flushing))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(flushing)
    })
  )

  it.scoped("keeps no event from the sinks when the session ends, and nobody waits for ever", () =>
    Effect.gen(function* () {
      const { close, got, join, relay } = yield* make
      yield* join("stuck", "TurnStarted", () => Effect.never)
      for (const event of turns(3)) relay.publish(event)
      const waiting = yield* Effect.fork(relay.flush)
      yield* settle
      yield* close
      yield* Fiber.join(waiting)
      relay.publish(turn(3))
      yield* relay.flush
      yield* relay.flushSoon
      assert.deepStrictEqual(got, turns(4))
    })
  )
})

it.scoped("no event is lost after the end of a session whose hooks had nothing to do until then", () =>
  Effect.gen(function* () {
    const { close, got, hooks, relay } = yield* make
    const registration = yield* hooks.service.join("late")
    registration.on("TurnStarted", () => Effect.void)
    yield* close
    for (const event of turns(2)) relay.publish(event)
    yield* relay.flush
    assert.deepStrictEqual(got, turns(2))
  })
)

it.scoped("a run waits while more than 1024 events are on their way, and no event is refused", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    const gate = yield* Deferred.make<void>()
    yield* join("slow", "TurnStarted", ({ turnIndex }) => (turnIndex === 0 ? Deferred.await(gate) : undefined))
    for (const event of turns(1024)) relay.publish(event)
    yield* relay.ready
    relay.publish(turn(1024))
    const waiting = yield* Effect.fork(relay.ready)
    yield* settle
    assert.isFalse(isDone(waiting))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(waiting)
    assert.deepStrictEqual(got, turns(1025))
  })
)

it.scoped("a hook that never catches up keeps the order of the events", () =>
  Effect.gen(function* () {
    const { got, join, relay } = yield* make
    yield* join("behind", "TurnStarted", ({ turnIndex }) => {
      if (turnIndex < 3000) relay.publish(turn(turnIndex + 1))
      return Effect.yieldNow()
    })
    relay.publish(turn(0))
    yield* relay.flush
    assert.deepStrictEqual(got, turns(3001))
  })
)

it.scoped("a run waits for the sinks, too", () =>
  Effect.gen(function* () {
    const { log, relay } = yield* make
    const gate = yield* Deferred.make<void>()
    yield* log.attach({ offer: () => {}, ready: Deferred.await(gate) })
    const waiting = yield* Effect.fork(relay.ready)
    yield* settle
    assert.isFalse(isDone(waiting))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(waiting)
  })
)

describe("hooks at messageEnding", () => {
  it.scoped("are told of messages that they were not asked about, behind those at MessageEnded", () =>
    Effect.gen(function* () {
      const { got, join, relay } = yield* make
      const seen: Array<string> = []
      const told = ended("told")
      const asked = ended("asked")
      yield* join("a", "messageEnding", ({ message }) => {
        seen.push(message === told.message ? "ending told" : "ending other")
        return { message: userMessage("replaced", [], 0) }
      })
      yield* join("b", "MessageEnded", ({ messageId }) => void seen.push(`ended ${messageId}`))
      relay.wasAsked(asked.message)
      relay.publish(told)
      relay.publish(asked)
      yield* relay.flush
      assert.deepStrictEqual(seen, ["ended told", "ending told", "ended asked"])
      assert.deepStrictEqual(got, [told, asked])
    })
  )

  it.scoped("are left out like others while they do not answer, and reported by their own point", () =>
    Effect.gen(function* () {
      const { got, join, relay } = yield* make
      let calls = 0
      yield* join("stuck", "messageEnding", () => {
        calls++
        return Effect.never
      })
      yield* join("fails", "messageEnding", () => Effect.fail({ message: "no" }))
      relay.publish(ended("one"))
      yield* TestClock.adjust("5 seconds")
      yield* relay.flush
      assert.deepStrictEqual(got, [
        ended("one"),
        failed("stuck", "messageEnding", late),
        failed("fails", "messageEnding", "no")
      ])
      relay.publish(ended("two"))
      yield* relay.flush
      assert.deepStrictEqual([got[3], calls], [ended("two"), 1])
    })
  )
})
