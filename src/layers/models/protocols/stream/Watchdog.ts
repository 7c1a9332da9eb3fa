/** The deadlines of one model call, on Effect's clock. Activity only notes the time; one alarm looks at it. */
import type * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Stopwatch from "../../../../services/Stopwatch.ts"
import type { Alarm } from "../../../machine/engine/Alarm.ts"

export interface Deadlines {
  /** From the request to the first bytes of the response. Long, because a small machine takes long to read a prompt. */
  readonly firstEventMs: number
  readonly idleMs: number
  readonly totalMs: number
}

export const defaults: Deadlines = { firstEventMs: 300_000, idleMs: 120_000, totalMs: 3_600_000 }

export class Expired extends Data.TaggedError("Expired")<{
  readonly deadline: "first_event" | "idle" | "total"
  readonly afterMs: number
}> {}

export interface Watchdog {
  readonly touch: () => void
  /** While our own reader is behind, the server's silence does not count. */
  readonly setWaiting: (waiting: boolean) => void
  /** The model has finished: the stream has `drainMs` left to end. A later call can only shorten that. */
  readonly finish: (drainMs: number) => void
  readonly stop: () => void
}

export interface Options {
  readonly deadlines: Deadlines
  readonly clock: Clock.Clock
  readonly alarm: Alarm
  /** Called at most once. Without `expired`, the model had finished and the stream stayed open. */
  readonly onEnd: (expired?: Expired) => void
}

export const describe = ({ afterMs, deadline }: Expired): string => {
  const seconds = Math.round(afterMs / 1000)
  if (deadline === "first_event") return `sent nothing for ${seconds} s after the request`
  return deadline === "idle" ? `stopped sending for ${seconds} s` : `did not finish within ${seconds} s`
}

export const make = ({ alarm, clock, deadlines, onEnd }: Options): Watchdog => {
  const { firstEventMs, idleMs, totalMs } = deadlines
  const now = () => Stopwatch.read(clock)
  const started = now()
  let last = started
  let hasBegun = false
  let waiting = false
  let drainMs: number | undefined
  let cancel: () => void = () => undefined

  const silenceMs = () => drainMs ?? (hasBegun ? idleMs : firstEventMs)
  const leftMs = () => Math.min(started + totalMs, (waiting ? now() : last) + silenceMs()) - now()
  const verdict = (): Expired | undefined => {
    if (drainMs !== undefined) return undefined
    if (now() - started >= totalMs) return new Expired({ deadline: "total", afterMs: totalMs })
    return new Expired({ deadline: hasBegun ? "idle" : "first_event", afterMs: silenceMs() })
  }
  const look = () => {
    const ms = leftMs()
    if (ms > 0) cancel = alarm(Math.min(ms, idleMs), look)
    else onEnd(verdict())
  }
  look()
  return {
    // The first bytes bring the deadline nearer, but never nearer than the next look.
    touch: () => {
      if (drainMs !== undefined) return
      hasBegun = true
      last = now()
    },
    setWaiting: (value) => {
      waiting = value
      last = now()
    },
    finish: (ms) => {
      if (drainMs !== undefined && ms >= drainMs) return
      drainMs = ms
      last = now()
      cancel()
      look()
    },
    stop: () => cancel()
  }
}
