/** Access to the event loop, for loops that gather what arrives between two turns of it. */
import * as Effect from "effect/Effect"
import { setImmediate } from "./Primordials.ts"

/** The same for who is no fiber. */
export const onNextTurn = (go: () => void): void => {
  setImmediate(go)
}

/**
 * Completes after pending I/O was looked at once. `Effect.yieldNow` stays inside the same turn of the loop, so
 * stdin would starve and every delta would become a write of its own. An interrupt leaves the turn to pass unnoticed:
 * a canceller would cost more than the rest of this.
 */
export const nextTurn: Effect.Effect<void> = Effect.async<void>((resume) => onNextTurn(() => resume(Effect.void)))
