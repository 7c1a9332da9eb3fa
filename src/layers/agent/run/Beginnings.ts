/** Announces each prompt check and compaction that begins, so that an abort ends those of the commands before it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

export type Beginnings = ReturnType<typeof make>

export const make = () => {
  let next = Deferred.unsafeMake<void>(FiberId.none)

  /** Ends what is under way, and again whatever begins before `until` is done. Returns then. */
  const endUntil = (until: Effect.Effect<void>, end: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (until === Effect.void) return yield* end
      const over = Effect.as(until, true)
      // Read before `end`, so that no beginning is missed.
      for (let begun = next, isOver = false; !isOver; begun = next) {
        yield* end
        isOver = yield* Effect.raceFirst(over, Effect.as(Deferred.await(begun), false))
        // Both may have happened in the same instant; then it began too late for this abort.
        isOver ||= yield* Effect.raceFirst(over, Effect.as(Effect.yieldNow(), false))
      }
    })

  return {
    announce: () => {
      const begun = next
      next = Deferred.unsafeMake(FiberId.none)
      Deferred.unsafeDone(begun, Effect.void)
    },
    endUntil
  }
}
