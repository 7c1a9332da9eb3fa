/** What is left to do on every way out of an effect. */
import * as Effect from "effect/Effect"

/** Only where nothing interrupts, or an interrupt would skip it; there it is half of what `Effect.onExit` costs. */
export const afterwards = <A, E, R>(effect: Effect.Effect<A, E, R>, leave: () => void): Effect.Effect<A, E, R> =>
  Effect.matchCauseEffect(effect, {
    onFailure: (cause) => {
      leave()
      return Effect.failCause(cause)
    },
    onSuccess: (value) => {
      leave()
      return Effect.succeed(value)
    }
  })
