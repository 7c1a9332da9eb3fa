/**
 * The signals that ask this process to end. `BunRuntime.runMain` interrupts the main fiber at SIGINT and SIGTERM; here is what
 * it leaves out: SIGHUP, which signal it was, a second one, and an end that hangs.
 */
import * as Effect from "effect/Effect"
import * as Process from "./Process.ts"

export type StopSignal = "SIGHUP" | "SIGINT" | "SIGTERM"

const all: ReadonlyArray<StopSignal> = ["SIGHUP", "SIGINT", "SIGTERM"]

/** Longer than everything together that has a limit after a signal: the end of the session, the sync, and the Layers. */
const longestEndMs = 1400

let first: StopSignal | undefined

/** The signal that has asked the process to end; undefined before there is one. */
export const received = (): StopSignal | undefined => first

/**
 * For the main fiber. The first signal interrupts it; a second one ends the process at once, as the first does when the fiber has
 * not ended in time. `codes` are the exit codes.
 */
export const heed =
  (codes: Readonly<Record<StopSignal, number>>) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((main) => {
      for (const signal of all) {
        process.on(signal, () => {
          if (first !== undefined) Process.exit(codes[signal])
          first = signal
          setTimeout(() => Process.exit(codes[signal]), longestEndMs).unref()
          if (signal === "SIGHUP") main.unsafeInterruptAsFork(main.id())
        })
      }
      return program
    })

/** Until the scope closes, SIGINT is a key that a person presses: it comes here and ends nothing. */
export const takeInterrupts = (listener: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const others = process.listeners("SIGINT")
      process.on("SIGINT", listener)
      for (const other of others) process.off("SIGINT", other)
      return others
    }),
    (others) =>
      Effect.sync(() => {
        for (const other of others) process.on("SIGINT", other)
        process.off("SIGINT", listener)
      })
  )
