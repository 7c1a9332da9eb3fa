/** How fibers share one thing: a value that is made once, and a permit that one holds at a time. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * Makes a value when it is first needed. The first success stays; a failure or an interrupt leaves it to the next caller.
 * Not Effect.cached: that one gives an interrupt of the first caller to all later ones.
 */
export const firstSuccess = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  let made = Option.none<A>()
  const keep = (value: A) => {
    made = Option.orElse(made, () => Option.some(value))
    return Option.getOrElse(made, () => value)
  }
  return Effect.suspend(() => (Option.isSome(made) ? Effect.succeed(made.value) : Effect.map(load, keep)))
}

/**
 * Runs an effect with the permit of a semaphore. `withPermits` suspends the fiber even when the permit is free: a prompt
 * or a change of session that waits for nothing would still be under way when the host's next frame is handled, and
 * frames would be answered out of their order.
 */
export const exclusively =
  (gate: Effect.Semaphore) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      gate.withPermitsIfAvailable(1)(effect),
      Option.match({ onNone: () => gate.withPermits(1)(effect), onSome: Effect.succeed })
    )
