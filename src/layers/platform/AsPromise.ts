/** Effects as promises, for code of others that awaits them. The signal interrupts the effect. */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

export type AsPromise = <A, E>(effect: Effect.Effect<A, E>, signal: AbortSignal) => Promise<A>

/** With the services and the references of the fiber that asks for it. */
export const make: Effect.Effect<AsPromise> = Effect.map(Effect.runtime<never>(), (runtime) => {
  const run = Runtime.runPromise(runtime)
  return (effect, signal) => run(effect, { signal })
})
