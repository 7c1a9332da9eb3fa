/**
 * Memory, on the engine's garbage collector. By itself the engine waits for the next ten seconds in which memory grows
 * (docs/decisions/0015-jit-options.md), and a process that has become quiet would keep what a huge frame took.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "../../services/machine/Memory.ts"

/** By then the frame has been handled, and more frames of the kind cost one collection, not one each. */
const delayMs = 1000
/** Above this much garbage nobody waits. */
const mostBytes = 32 * 1024 * 1024

const make = Effect.gen(function* () {
  let timer: ReturnType<typeof setTimeout> | undefined
  let garbage = 0
  yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))
  const collect = () => {
    timer = undefined
    Bun.gc(true)
  }
  return {
    release: (bytes: number) =>
      Effect.sync(() => {
        garbage += bytes
        timer ??= setTimeout(collect, delayMs)
        if (garbage < mostBytes) return
        garbage = 0
        setImmediate(() => Bun.gc(true))
      })
  }
})

export const layer = Layer.scoped(Memory, make)
