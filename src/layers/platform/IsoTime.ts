/** The Clock's time as an ISO string, as files hold it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export const fromMillis = (millis: number): string => new Date(millis).toISOString()

export const now = Effect.map(Clock.currentTimeMillis, fromMillis)

/** 0 for a text that is no time. */
export const toMillis = (iso: string): number => Date.parse(iso) || 0
