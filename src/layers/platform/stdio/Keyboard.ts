/** Stdin as a person or a script uses it, before any protocol is spoken on it. */
import * as Effect from "effect/Effect"

export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stdin.isTTY === true)

/** Everything up to the end of input. */
export const readAll: Effect.Effect<string> = Effect.promise(() => Bun.stdin.text())
