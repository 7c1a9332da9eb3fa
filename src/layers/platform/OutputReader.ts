/** Reads what a shell and its jobs write, as promises: a fiber's step for each of a hundred thousand chunks would show. */
import type * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as OutputPipe from "./OutputPipe.ts"

/** Gets stdout and stderr together. An answer is waited for before more is read; most chunks need none. */
export type Take = (chunk: Uint8Array) => Effect.Effect<void> | undefined

/** A job left in background may write that much more before it loses its reader. */
const drainLimit = 64 * 1024 * 1024

export interface OutputReader {
  /** Returns at the end of the output, or after so many milliseconds. */
  readonly read: (ms: number) => Promise<void>
  /** Rejects when a chunk could not be taken, and never completes else. */
  readonly broken: Promise<never>
  /**
   * Nobody is interested any more: the rest is dropped, so that a job in background does not die of a closed pipe,
   * but not without end, so that a noisy one does not keep us busy.
   */
  readonly release: () => Promise<void>
  readonly close: () => void
}

export const make = (
  pipe: Pick<OutputPipe.OutputPipe, "close" | "read">,
  take: Take,
  runtime: Runtime.Runtime<never>
) => {
  const released = new AbortController()
  const { signal } = released
  const run = Runtime.runPromise(runtime)
  const unlessReleased = (cause: unknown) => {
    if (!signal.aborted) throw cause
  }
  const pump = async () => {
    for (let dropped = 0; dropped < drainLimit;) {
      const chunk = await pipe.read()
      if (chunk === undefined) return
      const wait = signal.aborted ? undefined : take(chunk)
      if (signal.aborted) dropped += chunk.length
      else if (wait !== undefined) await run(wait, { signal }).catch(unlessReleased)
    }
  }
  const reading = pump()
  const broken = reading.then(() => new Promise<never>(() => undefined))
  broken.catch(() => undefined) // whoever waits for the command is told
  const output: OutputReader = {
    read: (ms) =>
      new Promise((resume, reject) => {
        const timer = setTimeout(resume, ms)
        void reading.then(resume, reject).finally(() => clearTimeout(timer))
      }),
    broken,
    release: async () => {
      released.abort()
      await reading.catch(() => undefined)
      pipe.close()
    },
    close: pipe.close
  }
  return output
}
