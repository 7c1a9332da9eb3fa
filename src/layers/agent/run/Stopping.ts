/** How a run is ended from outside, by a host, a compaction or a change of the session. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import type { Compaction } from "../compaction/Compaction.ts"
import type { Occupancy } from "./Occupancy.ts"
import type { RunEnd } from "./RunEnd.ts"

interface Dependencies {
  readonly running: FiberHandle.FiberHandle<void>
  readonly compaction: Compaction
  readonly end: RunEnd
  readonly occupancy: Occupancy
}

export const make = ({ compaction, end, occupancy, running }: Dependencies) => {
  const isRunning = () => Option.isSome(FiberHandle.unsafeGet(running))

  // Not FiberHandle.clear: that one also forgets a run that was started while it waited, when two end one run together.
  const endCurrent = Effect.suspend(() =>
    Option.match(FiberHandle.unsafeGet(running), {
      onNone: () => Effect.void,
      onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
    })
  )

  // A prompt that is being accepted has no run yet, and would have one afterwards.
  const endRun = Effect.zipRight(occupancy.settled, endCurrent)

  const interrupt = Effect.zipRight(endRun, compaction.cancel)

  const abortNow = Effect.suspend(() => {
    end.handBack()
    // A run hands back when it ends; without one the queue is taken before anybody else can start one.
    const now = isRunning() ? [] : end.collect()
    return Effect.map(interrupt, () => [...now, ...end.collect()])
  })
  const abort = Effect.zipRight(occupancy.settled, abortNow)

  return { isRunning, endRun, interrupt, abort }
}
