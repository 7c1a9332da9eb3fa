import { assert, it } from "@effect/vitest"
import { Effect, Fiber, FiberSet } from "effect"
import * as HookRegistry from "../../../../../src/layers/session/modules/hooks/HookRegistry.ts"
import * as Startup from "../../../../../src/layers/session/modules/hooks/Startup.ts"

/** A start whose contributor waits for the latch, and what happened in it. */
const make = Effect.fnUntraced(function* () {
  const said: Array<string> = []
  const hooks = HookRegistry.make(() => {})
  const registration = yield* hooks.service.join("test")
  registration.on("sessionStarted", ({ reason }) => void said.push(`started ${reason}`))
  const latch = yield* Effect.makeLatch(false)
  const fork = yield* FiberSet.runtime(yield* FiberSet.make<void, never>())<never>()
  const join = Effect.zipRight(
    latch.await,
    Effect.sync(() => void said.push("joined"))
  )
  const startup = Startup.make({ hooks, isAlone: false, join, load: Effect.void, opening: { reason: "startup" }, fork })
  return { latch, said, startup }
})

it.scoped("contributors join once, and hear of the start when somebody asks for it", () =>
  Effect.gen(function* () {
    const { latch, said, startup } = yield* make()
    const waiting = yield* Effect.fork(startup.joined)
    yield* latch.open
    yield* Fiber.join(waiting)
    yield* startup.joined
    assert.deepStrictEqual([said, startup.isOver()], [["joined"], false])
    yield* Effect.all([startup.started, startup.started], { concurrency: 2 })
    yield* startup.started
    assert.deepStrictEqual([said, startup.isOver()], [["joined", "started startup"], true])
    yield* startup.joined
  })
)

it.scoped("whoever stops waiting for the start does not end it", () =>
  Effect.gen(function* () {
    const { latch, said, startup } = yield* make()
    const waiting = yield* Effect.fork(startup.started)
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(waiting)
    yield* latch.open
    yield* startup.started
    assert.deepStrictEqual(said, ["joined", "started startup"])
  })
)

it.scoped("a session without contributors has started", () =>
  Effect.gen(function* () {
    const hooks = HookRegistry.make(() => {})
    const fork = yield* FiberSet.runtime(yield* FiberSet.make<void, never>())<never>()
    const startup = Startup.make({
      hooks,
      isAlone: true,
      join: Effect.die("nobody joins"),
      load: Effect.void,
      opening: { reason: "startup" },
      fork
    })
    yield* Effect.zipRight(startup.joined, startup.started)
    assert.isTrue(startup.isOver())
  })
)
