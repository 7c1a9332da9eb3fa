/**
 * Fibers that work for the one that made the group. Each starts at once, up to its first wait, so what is interrupted
 * in the same tick has begun. The maker stays uninterruptible while one of them runs, waits for `ended` with what may be
 * interrupted, and interrupts them all and waits again before it leaves: a group has no scope that would do it.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

export interface FiberGroup {
  readonly start: <A, E>(effect: Effect.Effect<A, E>, onEnd: (exit: Exit.Exit<A, E>) => void) => void
  /** How many run. */
  readonly size: () => number
  /** Returns when one more has ended, at once if that was since the last time. */
  readonly ended: Effect.Effect<void>
  /** Returns before they have ended. */
  readonly interruptAll: () => void
}

export const make: Effect.Effect<FiberGroup> = Effect.withFiberRuntime((maker) => {
  const runtime = Runtime.make({
    context: maker.currentContext,
    fiberRefs: maker.getFiberRefs(),
    // Those of the maker would make the fibers uninterruptible.
    runtimeFlags: Runtime.defaultRuntime.runtimeFlags
  })
  const runFork = Runtime.runFork(runtime)
  const running = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  let unseen = false
  let wake: (() => void) | undefined
  return Effect.succeed({
    start: (effect, onEnd) => {
      const fiber = runFork(effect)
      running.add(fiber)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        onEnd(exit)
        unseen = true
        wake?.()
      })
    },
    size: () => running.size,
    ended: Effect.async<void>((resume) => {
      const see = () => {
        unseen = false
        wake = undefined
        resume(Effect.void)
      }
      if (unseen) see()
      else wake = see
    }),
    interruptAll: () => {
      for (const fiber of running) fiber.unsafeInterruptAsFork(FiberId.none)
    }
  })
})
