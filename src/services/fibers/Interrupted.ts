/** Reads whether a fiber was asked to stop, which a mask hides from everything else. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"

export const isRequestedOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** The same of the current fiber. */
export const isRequested: Effect.Effect<boolean> = Effect.withFiberRuntime((fiber) =>
  Effect.succeed(isRequestedOf(fiber))
)

/** Wraps work. `soFar` is what it has come to if it is interrupted; it is asked for behind the clean-up of the work. */
export type OrInterrupted<A> = (
  soFar: Effect.Effect<A>
) => <B, E, R>(work: Effect.Effect<B, E, R>) => Effect.Effect<B, E, R>
