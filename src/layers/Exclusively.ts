/** One permit of a semaphore for an effect, without giving way to other fibers while the permit is free. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * `withPermits` suspends the fiber even when nobody holds the permit. A prompt or a change of session that waits for
 * nothing is then still under way when the host's next frame is handled, and frames are answered out of their order.
 */
export const exclusively =
  (gate: Effect.Semaphore) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      gate.withPermitsIfAvailable(1)(effect),
      Option.match({ onNone: () => gate.withPermits(1)(effect), onSome: Effect.succeed })
    )
