/** How fibers share a value that is made once. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
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
 * Makes a value when it is first needed, in a fiber that `fork` starts, for all callers at once. An interrupt ends only the
 * wait of one caller.
 */
export const inFiber = <A>(fork: (effect: Effect.Effect<A>) => Fiber.RuntimeFiber<A>, load: Effect.Effect<A>) => {
  let made = Option.none<A>()
  let making: Fiber.RuntimeFiber<A> | undefined
  const keep = Effect.map(load, (value) => {
    made = Option.some(value)
    return value
  })
  return {
    get: Effect.suspend(() => (Option.isSome(made) ? Effect.succeed(made.value) : Fiber.join((making ??= fork(keep))))),
    isDone: () => Option.isSome(made)
  }
}
