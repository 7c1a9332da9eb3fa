/** How contributors join a session, and who waits for them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FiberSet, Scope, TestClock } from "effect"
import * as HookRegistry from "../../../../../src/layers/session/modules/hooks/HookRegistry.ts"
import * as Startup from "../../../../../src/layers/session/modules/hooks/Startup.ts"
import type { SessionOpening } from "../../../../../src/services/hooks/HookPoints.ts"
import { settle } from "../../../../support/hooks/RelayHarness.ts"

const opening: SessionOpening = { reason: "fork", previousSessionFile: "/s/1.jsonl" }

const make = Effect.fnUntraced(function* (join: Effect.Effect<void>, isAlone = false) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const fibers = yield* Scope.extend(FiberSet.make<unknown, unknown>(), scope)
  const fork = yield* FiberSet.runtime(fibers)<never>()
  const reports: Array<HookRegistry.Report> = []
  const hooks = HookRegistry.make((report) => void reports.push(report))
  const startup = Startup.make({ hooks, isAlone, join, load: Effect.void, opening, fork })
  return { startup, hooks, reports, close: Scope.close(scope, Exit.void) }
})

it.scoped("without contributors there is nothing to wait for", () =>
  Effect.gen(function* () {
    const { startup } = yield* make(Effect.dieMessage("nobody joins"), true)
    assert.isTrue(startup.isOver())
    yield* startup.started
  })
)

it.scoped("contributors join once, when somebody first waits, and then hooks hear how the session was opened", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const told: Array<SessionOpening> = []
    let joined = 0
    const { hooks, startup } = yield* make(
      Effect.zipRight(
        Effect.sync(() => joined++),
        Deferred.await(gate)
      )
    )
    const registration = yield* hooks.service.join("x")
    registration.on("sessionStarted", (event) => void told.push(event))
    assert.deepStrictEqual([joined, startup.isOver()], [0, false])
    const waiting = yield* Effect.fork(startup.started)
    const leaving = yield* Effect.fork(startup.started)
    yield* settle
    yield* Fiber.interrupt(leaving)
    assert.deepStrictEqual([joined, told, waiting.unsafePoll()], [1, [], null])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(waiting)
    yield* startup.started
    assert.deepStrictEqual([joined, told, startup.isOver()], [1, [opening], true])
  })
)

it.scoped("a contributor that waits for the start in which it joins does not start it again", () =>
  Effect.gen(function* () {
    let joined = 0
    const again = yield* Deferred.make<Effect.Effect<void>>()
    const { close, startup } = yield* make(
      Effect.suspend(() => {
        joined++
        return Effect.flatten(Deferred.await(again))
      })
    )
    yield* Deferred.succeed(again, startup.started)
    const waiting = yield* Effect.fork(startup.started)
    yield* settle
    assert.deepStrictEqual([joined, waiting.unsafePoll()], [1, null])
    yield* close
    yield* Fiber.join(waiting)
    assert.isTrue(startup.isOver())
  })
)

describe("a hook that hears of the start", () => {
  it.scoped("has 30 seconds, and is reported then; the next one is told", () =>
    Effect.gen(function* () {
      const { hooks, reports, startup } = yield* make(Effect.void)
      const registration = yield* hooks.service.join("slow")
      const told: Array<string> = []
      registration.on("sessionStarted", () => Effect.never)
      registration.on("sessionStarted", () => Effect.fail({ message: "no" }))
      registration.on("sessionStarted", () => void told.push("next"))
      const waiting = yield* Effect.fork(startup.started)
      yield* TestClock.adjust("29999 millis")
      assert.deepStrictEqual([told, startup.isOver()], [[], false])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(told, ["next"])
      assert.deepStrictEqual(reports, [
        { name: "slow", event: "sessionStarted", message: "not done after 30000 ms" },
        { name: "slow", event: "sessionStarted", message: "no" }
      ])
    })
  )
})

it.scoped("the end of the session is the end of the start, whether it had begun or not", () =>
  Effect.gen(function* () {
    const begun = yield* make(Effect.never)
    const waiting = yield* Effect.fork(begun.startup.started)
    yield* settle
    yield* begun.close
    yield* Fiber.join(waiting)
    const never = yield* make(Effect.void)
    yield* never.close
    yield* never.startup.started
    assert.deepStrictEqual([begun.startup.isOver(), never.startup.isOver()], [true, true])
  })
)
