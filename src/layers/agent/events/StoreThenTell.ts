/** The one mask of a run: what is begun is stored and told, and an interrupt comes before all of it or after. */
import * as Effect from "effect/Effect"

/** `store` does what belongs to the step and answers how it is stored. Nothing else may wait here: an abort waits for it. */
export const storeThenTell = <A, B, E>(store: () => Effect.Effect<A, E>, tell: (stored: A) => B): Effect.Effect<B, E> =>
  Effect.uninterruptible(Effect.suspend(() => Effect.map(store(), tell)))
