/**
 * Asks the engine to give memory back. By itself it waits for the next ten seconds in which memory grows
 * (docs/decisions/0015-jit-options.md), and a process that has become quiet would keep what a huge frame took.
 */
import * as Engine from "./Engine.ts"

/** By then the frame has been handled, and more frames of the kind cost one collection, not one each. */
const delayMs = 1000
/** Above this much garbage nobody waits. */
const mostBytes = 16 * 1024 * 1024

/** To be told how many bytes are garbage now, or will be in a moment. */
export const makeRelease = () => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let garbage = 0
  /** Bytes were announced while a collection was due: some may still be in use when it comes, so another follows. */
  let isLate = false
  const wait = () => {
    timer = setTimeout(ring, delayMs)
    // The end of the process does not wait for it.
    timer.unref()
  }
  const ring = () => {
    timer = undefined
    Engine.collectGarbage()
    if (isLate) wait()
    isLate = false
  }
  return (bytes: number): void => {
    garbage += bytes
    if (timer === undefined) wait()
    else isLate = true
    if (garbage < mostBytes) return
    garbage = 0
    setImmediate(Engine.collectGarbage)
  }
}
