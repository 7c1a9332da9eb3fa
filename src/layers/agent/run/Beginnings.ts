/** Prompt checks and compactions that begin behind an abort whose turn has not come: it ends them. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"

/** Where an abort stands among the commands that were sent before it. */
interface Position {
  readonly isReached: () => boolean
  readonly reached: Effect.Effect<void>
}

export const make = Effect.gen(function* () {
  const waiting = new Map<Position, Effect.Effect<void>>()
  const fork = yield* FiberSet.makeRuntime<never>()

  return {
    /** To be called where one begins. It is ended when what has begun it can be interrupted. */
    announce: () => {
      for (const [position, end] of waiting) if (!position.isReached()) fork(Effect.zipRight(Effect.yieldNow(), end))
    },
    /** Ends what is under way, and whatever begins before the position is reached. Returns then. */
    endUntil: (position: Position | undefined, end: Effect.Effect<void>): Effect.Effect<void> =>
      position === undefined
        ? end
        : Effect.acquireUseRelease(
            Effect.sync(() => waiting.set(position, end)),
            () => Effect.zipRight(end, position.reached),
            () => Effect.sync(() => waiting.delete(position))
          )
  }
})
