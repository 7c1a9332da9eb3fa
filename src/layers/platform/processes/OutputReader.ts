/** Reads what a shell and its jobs write, as promises: a fiber's step for each of a hundred thousand chunks would show. */
import type * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as OutputPipe from "./OutputPipe.ts"

/** Gets stdout and stderr together. An answer is waited for before more is read; most chunks need none. */
export type Take = (chunk: Uint8Array) => Effect.Effect<void> | undefined

export interface Events {
  /** A chunk was taken. */
  readonly said: () => void
  readonly atEnd: () => void
  /** A chunk could not be taken, and nothing more is read. */
  readonly broken: (cause: unknown) => void
}

/** A job left in background may write that much more before it loses its reader. */
const drainLimit = 64 * 1024 * 1024

export interface OutputReader {
  /** Returns at the end of the output, or after so many milliseconds. */
  readonly read: (ms: number) => Promise<void>
  /**
   * Nobody is interested any more: the rest is dropped, so that a job in background does not die of a closed pipe,
   * but not without end, so that a noisy one does not keep us busy. Answers what to wait for, if the pipe is still open.
   */
  readonly release: () => Promise<void> | undefined
  readonly close: () => void
}

export const make = (
  pipe: Pick<OutputPipe.OutputPipe, "close" | "read">,
  take: Take,
  runtime: Runtime.Runtime<never>,
  events: Events
): OutputReader => {
  let isReleased = false
  let isDone = false
  let waiting: AbortController | undefined
  const wait = async (effect: Effect.Effect<void>) => {
    waiting = new AbortController()
    try {
      await Runtime.runPromise(runtime)(effect, { signal: waiting.signal })
    } catch (cause) {
      if (!isReleased) throw cause
    }
  }
  const pump = async () => {
    for (let dropped = 0; dropped < drainLimit;) {
      const chunk = await pipe.read()
      if (chunk === undefined) return
      if (isReleased) {
        dropped += chunk.length
        continue
      }
      const effect = take(chunk)
      events.said()
      if (effect !== undefined) await wait(effect)
    }
  }
  const reading = pump().then(
    () => {
      isDone = true
      events.atEnd()
    },
    (cause) => {
      isDone = true
      events.broken(cause)
    }
  )
  return {
    read: async (ms) => {
      if (isDone) return
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise((resume) => (timer = setTimeout(resume, ms)))
      await Promise.race([reading, late])
      clearTimeout(timer)
    },
    release: () => {
      isReleased = true
      waiting?.abort()
      if (!isDone) return reading.then(pipe.close)
      pipe.close()
      return undefined
    },
    close: pipe.close
  }
}
