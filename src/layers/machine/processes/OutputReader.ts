/** Reads the output of a shell and its jobs with promises: a command may write a hundred thousand chunks, too many for a fiber. */
import type * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { ShellSpawn } from "../../../services/machine/Processes.ts"
import type { Source } from "./spawn/Child.ts"

/** How much a background job may write after its shell ended before it loses its reader. */
const drainLimit = 64 * 1024 * 1024

export interface OutputReader {
  /** Resolves at the end of the output; rejects when a chunk could not be taken, after which nothing is read. */
  readonly ended: Promise<void>
  readonly isDone: () => boolean
  /**
   * From here on output is read and dropped, so that a background job does not die of a closed pipe, but only up to the
   * limit, so that a noisy one does not keep heddle busy. Undefined when the pipe is closed already.
   */
  readonly release: () => Promise<void> | undefined
  readonly close: () => void
}

export const make = (pipe: Source, take: ShellSpawn["take"], runtime: Runtime.Runtime<never>): OutputReader => {
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
      if (effect !== undefined) await wait(effect)
    }
  }
  const ended = pump().finally(() => {
    isDone = true
  })
  const settled = ended.catch(() => undefined) // `ended` tells its reader why
  return {
    ended,
    isDone: () => isDone,
    release: () => {
      isReleased = true
      waiting?.abort()
      if (!isDone) return settled.then(pipe.close)
      pipe.close()
      return undefined
    },
    close: pipe.close
  }
}
