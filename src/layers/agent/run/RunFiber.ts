/** Owns the fiber of the run, from the check of its prompt to its last event. To stop a run is to interrupt it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Option from "effect/Option"
import { PromptWithdrawn } from "../../../services/Agent.ts"
import type { Compaction } from "../compaction/Compaction.ts"
import type { HandBack, RunEnd } from "./RunEnd.ts"

interface Dependencies {
  readonly compaction: Compaction
  readonly end: RunEnd
}

export type RunFiber = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* ({ compaction, end: runEnd }: Dependencies) {
  const running = yield* FiberHandle.make<void, never>()
  const reading = yield* FiberHandle.make<void, never>()

  // Not FiberHandle.clear: when two callers stop one run, that would also forget a run that started in between.
  const end = (handle: FiberHandle.FiberHandle<void, never>) =>
    Effect.suspend(() =>
      Option.match(FiberHandle.unsafeGet(handle), {
        onNone: () => Effect.void,
        onSome: (fiber) => Effect.asVoid(Fiber.interrupt(fiber))
      })
    )
  const stop = end(running)
  const withdraw = end(reading)
  const interrupt = Effect.zipRight(withdraw, Effect.zipRight(stop, compaction.cancel))

  /** Reads what a prompt needs before it can be checked. An abort withdraws the prompt. */
  const read = (effect: Effect.Effect<void>): Effect.Effect<void, PromptWithdrawn> =>
    FiberHandle.run(reading, effect).pipe(
      Effect.flatMap(Fiber.await),
      Effect.onInterrupt(() => withdraw),
      Effect.flatMap((exit) =>
        Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) ? new PromptWithdrawn() : exit
      )
    )

  const abort = (which: HandBack) =>
    Effect.suspend(() => {
      runEnd.handBack(which)
      // A run hands the queue back when it ends. Without one the queue is taken before anybody can start a run.
      const now = Option.isSome(FiberHandle.unsafeGet(running)) ? Effect.succeed([]) : runEnd.collect
      return Effect.zipWith(now, Effect.zipRight(interrupt, runEnd.collect), (first, rest) => [...first, ...rest])
    })

  return {
    /** Begins at once, up to the first wait, so that an interrupt in the same instant finds the run's clean-up in place. */
    start: (run: Effect.Effect<void>) => FiberHandle.run(running, run),
    read,
    /** Withdraws a prompt that waits for `read`. */
    withdraw,
    /** Returns after the last event of the run. Leaves the queue and a compaction of its own alone. */
    stop,
    interrupt,
    abort: abort("all"),
    /** The same, but only prompts that somebody waits for are handed back. The file keeps them. */
    leave: abort("prompts"),
    awaitIdle: FiberHandle.awaitEmpty(running)
  }
})
