/**
 * What is made once, when somebody first needs it. Not Effect.cached: that one gives every later caller the state of
 * the fiber that came first, so when that one was aborted meanwhile, all the others are.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The first success stays. A failure or an interrupt leaves it to the next caller. */
export const make = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  let made = Option.none<A>()
  const keep = (value: A) => {
    made = Option.orElse(made, () => Option.some(value))
    return Option.getOrElse(made, () => value)
  }
  return Effect.suspend(() => (Option.isSome(made) ? Effect.succeed(made.value) : Effect.map(load, keep)))
}
