/** Owns the fiber of the run, from the check of its prompt to its last event. To stop a run is to interrupt it. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import type { Compaction } from "../compaction/Compaction.ts"
import type { RunEnd } from "./RunEnd.ts"

interface Dependencies {
  readonly compaction: Compaction
  readonly end: RunEnd
}

export type RunFiber = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ compaction, end }: Dependencies) {
  const running = yield* FiberHandle.make<void, never>()

  // Not FiberHandle.clear: when two callers stop one run, that would also forget a run that started in between.
  const stop = Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(running), {
      onNone: () => Effect.void,
      onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
    })
  )
  const interrupt = Effect.zipRight(stop, compaction.cancel)

  const abort = Effect.suspend(() => {
    end.handBack()
    // A run hands the queue back when it ends. Without one the queue is taken before anybody can start a run.
    const now = Option.isSome(FiberHandle.unsafeGet(running)) ? [] : end.collect()
    return Effect.map(interrupt, () => [...now, ...end.collect()])
  })

  return {
    /** Begins at once, up to the first wait, so that an interrupt in the same instant finds the run's clean-up in place. */
    start: (run: Effect.Effect<void>) => FiberHandle.run(running, run),
    /** Returns after the last event of the run. Leaves the queue and a compaction of its own alone. */
    stop,
    /** Ends a compaction, too. */
    interrupt,
    abort,
    awaitIdle: FiberHandle.awaitEmpty(running)
  }
})
