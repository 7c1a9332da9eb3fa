/** Counts the beginnings of something, so that one can wait for the next without missing it. */
import * as Effect from "effect/Effect"

export const make = () => {
  let count = 0
  let next = Effect.unsafeMakeLatch(false)
  return {
    count: () => count,
    add: Effect.suspend(() => {
      const latch = next
      count++
      next = Effect.unsafeMakeLatch(false)
      return latch.open
    }),
    /** Returns at once when there was one since `seen`. */
    after: (seen: number) => Effect.suspend(() => (count > seen ? Effect.void : next.await))
  }
}
