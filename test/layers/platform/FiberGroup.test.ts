import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import * as FiberGroup from "../../../src/layers/platform/FiberGroup.ts"

it.effect(
  "a fiber starts at once, also where the maker is uninterruptible, and can be interrupted in the same tick",
  () =>
    Effect.gen(function* () {
      const group = yield* FiberGroup.make
      const seen: Array<string> = []
      group.start(
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => seen.push("tidied"))),
        (exit) => seen.push(Exit.isInterrupted(exit) ? "interrupted" : "other")
      )
      group.start(
        Effect.sync(() => seen.push("ran")),
        () => seen.push("ended")
      )
      assert.deepStrictEqual([seen, group.size()], [["ran", "ended"], 1])
      group.interruptAll()
      yield* group.ended
      yield* group.ended
      assert.deepStrictEqual([seen, group.size()], [["ran", "ended", "tidied", "interrupted"], 0])
    }).pipe(Effect.uninterruptible)
)

it.effect("tells of an end that came before anybody waited, and of one that comes later", () =>
  Effect.gen(function* () {
    const group = yield* FiberGroup.make
    const gate = yield* Deferred.make<number>()
    const exits: Array<Exit.Exit<number>> = []
    group.start(Effect.succeed(1), (exit) => exits.push(exit))
    yield* group.ended
    group.start(Deferred.await(gate), (exit) => exits.push(exit))
    yield* Deferred.succeed(gate, 2)
    yield* group.ended
    assert.deepStrictEqual(exits, [Exit.succeed(1), Exit.succeed(2)])
  })
)
