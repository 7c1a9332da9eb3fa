/**
 * Services put together one after the other inside one layer. The same as a chain of `Layer.provideMerge`, but each
 * link of such a chain costs a start of the process two milliseconds, and this costs next to nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** A service that may use everything above it. */
export const add =
  <I, S, E, R>(tag: Context.Tag<I, S>, make: Effect.Effect<S, E, R>) =>
  <A, E0, R0>(above: Effect.Effect<Context.Context<A>, E0, R0>) =>
    Effect.flatMap(above, (context) =>
      Effect.map(Effect.provide(make, context), (service) => Context.add(context, tag, service))
    )

/** Something that is no service but lives in the same scope. */
export const start =
  <E, R>(make: Effect.Effect<void, E, R>) =>
  <A, E0, R0>(above: Effect.Effect<Context.Context<A>, E0, R0>) =>
    Effect.tap(above, (context) => Effect.provide(make, context))
