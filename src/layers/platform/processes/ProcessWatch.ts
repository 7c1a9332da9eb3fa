/**
 * What happens to a process, for the one fiber that waits for it: it ends, its time is over, it has said something.
 * All of it comes as callbacks and wakes that fiber: a fiber for each clock would cost more than a short command. The
 * clock is that of the machine, as it is for the process.
 */
import * as Effect from "effect/Effect"

export type Step =
  /** The process has ended and its output is read. */
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "TimedOut" }
  /** There is output that was not told of yet. */
  | { readonly _tag: "Output" }

export interface WatchOptions {
  readonly timeoutMs?: number
  /** Output is told of at most this often; not at all if absent. */
  readonly updateMs?: number
}

export interface ProcessWatch {
  readonly next: Effect.Effect<Step>
  readonly said: () => void
  readonly exited: (code: number) => void
  /** Everything it wrote is read. */
  readonly atEnd: () => void
  readonly broken: (cause: unknown) => void
  /** Nobody asks for the next step any more. */
  readonly stop: () => void
}

/**
 * How long after the end of a process its output is waited for: a job that it left in background may hold the pipe open
 * for ever.
 */
const lateOutput = 250

export const make = ({ timeoutMs, updateMs }: WatchOptions): ProcessWatch => {
  const began = performance.now()
  let code: number | undefined
  let isRead = false
  let isLate = false
  let isUpdateDue = false
  let failure: { readonly cause: unknown } | undefined
  let told = began
  let wake: ((step: Effect.Effect<Step>) => void) | undefined
  let update: Timer | undefined
  let grace: Timer | undefined

  const step = (): Effect.Effect<Step> | undefined => {
    if (failure !== undefined) return Effect.die(failure.cause)
    if (code !== undefined && isRead) return Effect.succeed({ _tag: "Exited", code })
    if (isLate) return Effect.succeed({ _tag: "TimedOut" })
    if (!isUpdateDue) return undefined
    isUpdateDue = false
    told = performance.now()
    return Effect.succeed({ _tag: "Output" })
  }

  const look = () => {
    const found = wake === undefined ? undefined : step()
    if (found === undefined) return
    wake?.(found)
    wake = undefined
  }

  const atEnd = () => {
    isRead = true
    look()
  }

  const timeout =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true
          look()
        }, timeoutMs)

  return {
    next: Effect.async<Step>((resume) => {
      wake = resume
      look()
    }),
    said: () => {
      if (updateMs === undefined || update !== undefined || isUpdateDue) return
      update = setTimeout(
        () => {
          update = undefined
          isUpdateDue = true
          look()
        },
        Math.max(0, told + updateMs - performance.now())
      )
    },
    exited: (ended) => {
      code = ended
      if (!isRead) grace = setTimeout(atEnd, lateOutput)
      look()
    },
    atEnd,
    broken: (cause) => {
      failure = { cause }
      look()
    },
    stop: () => {
      wake = undefined
      clearTimeout(timeout)
      clearTimeout(update)
      clearTimeout(grace)
    }
  }
}

type Timer = ReturnType<typeof setTimeout>
