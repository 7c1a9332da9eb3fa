/** Signals that ask the process to end. */
import * as Effect from "effect/Effect"

export type StopSignal = "SIGHUP" | "SIGINT" | "SIGTERM"

const signals: ReadonlyArray<StopSignal> = ["SIGHUP", "SIGINT", "SIGTERM"]

/** Completes with the first signal that arrives; listening stops when this is interrupted. */
export const received: Effect.Effect<StopSignal> = Effect.async<StopSignal>((resume) => {
  const listeners = signals.map((signal) => {
    const listener = () => resume(Effect.succeed(signal))
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  return Effect.sync(() => {
    for (const remove of listeners) remove()
  })
})
