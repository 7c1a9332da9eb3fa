/** The time of the Clock as files have it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())
