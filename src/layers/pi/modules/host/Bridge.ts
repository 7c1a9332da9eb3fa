/** Runs effects for code that waits for promises. The scope that it was made in owns them. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

/** Rejects with the failure of the effect. When the signal aborts, the effect is interrupted before the promise rejects. */
export type Run = <A, E extends Error>(effect: Effect.Effect<A, E>, signal?: AbortSignal) => Promise<A>

export const abortedText = "Operation aborted"

/** An error of ours that reaches a report through an extension must not need its getter for that. */
const withMessage = <E extends Error>(error: E): E => Object.defineProperty(error, "message", { value: error.message })

const aborted = (signal: AbortSignal): Effect.Effect<never, Error> =>
  Effect.async((resume) => {
    const abort = () => resume(Effect.fail(new Error(abortedText)))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

export const make: Effect.Effect<Run, never, Scope.Scope> = Effect.map(FiberSet.makeRuntimePromise(), (run): Run => {
  return (effect, signal) => {
    const failing = Effect.mapError(effect, withMessage)
    return run(signal === undefined ? failing : Effect.raceFirst(failing, aborted(signal)))
  }
})
