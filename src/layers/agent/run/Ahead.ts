/** What an abort ends that was sent later and waits for its turn: what is under way when it comes, and what begins until then. */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Place } from "../../../services/session/Inbox.ts"

/** Starts a fiber of the session. */
type Fork = (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>

export type Ahead = ReturnType<typeof make>

export const make = (fork: Fork, end: Effect.Effect<void>) => {
  let waiting: ReadonlyArray<Place> = []
  const stillWaiting = () => (waiting = waiting.filter(({ isReached }) => !isReached()))

  return {
    /** To be called where something begins. It is ended when what has begun it can be interrupted. */
    begun: () => {
      if (waiting.length > 0 && stillWaiting().length > 0) fork(Effect.zipRight(Effect.yieldNow(), end))
    },
    endUntil: (place: Place): Effect.Effect<void> =>
      Effect.suspend(() => {
        waiting = [...stillWaiting(), place]
        return end
      })
  }
}
