/** The mask of a run: a step stores, then publishes its events. An interrupt comes before or after the whole step. */
import * as Effect from "effect/Effect"

/** `store` begins the step and returns the effect that stores it. Nothing else may wait here: an abort waits for it. */
export const storeThenTell = <A, B, E>(store: () => Effect.Effect<A, E>, tell: (stored: A) => B): Effect.Effect<B, E> =>
  Effect.uninterruptible(Effect.suspend(() => Effect.map(store(), tell)))
