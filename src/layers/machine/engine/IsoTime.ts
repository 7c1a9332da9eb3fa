/** Times as ISO strings, as files hold them. `now` is the Clock's; the others are the system's, for extensions, in the types of pi. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export const fromMillis = (millis: number): string => new Date(millis).toISOString()

export const now = Effect.map(Clock.currentTimeMillis, fromMillis)

/** 0 for a text that is no time. */
export const toMillis = (iso: string): number => Date.parse(iso) || 0

export const systemMillis = (): number => Date.now()

export const systemNow = (): string => new Date().toISOString()

export const toDate = (iso: string): Date => new Date(iso)
