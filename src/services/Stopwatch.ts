/** Milliseconds of the Clock's counter that never jumps, for durations and deadlines: the time of day may be set while they run. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export const read = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

export const reading: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => read(clock)))

/** Whole milliseconds since a reading. */
export const since = (began: number): Effect.Effect<number> => Effect.map(reading, (now) => Math.round(now - began))
