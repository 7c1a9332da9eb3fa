/** Deadlines of one call. Activity is a number written down; an alarm looks at it now and then. */
import type * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import type { Alarm } from "../../../platform/Alarm.ts"

export interface Deadlines {
  /** From the start to the first bytes of the answer: prompts take long to read on small machines. */
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
  /** While our own reader is behind, the silence is ours. */
  readonly setWaiting: (waiting: boolean) => void
  /** From now on the stream has `drainMs` to end; less, if it is said again with less. */
  readonly finish: (drainMs: number) => void
  readonly stop: () => void
}

export interface Options {
  readonly deadlines: Deadlines
  readonly clock: Clock.Clock
  readonly alarm: Alarm
  /** A deadline has passed; without one, the stream had finished but did not end. Called at most once. */
  readonly onEnd: (expired?: Expired) => void
}

export const describe = ({ afterMs, deadline }: Expired): string => {
  const seconds = Math.round(afterMs / 1000)
  if (deadline === "first_event") return `sent nothing for ${seconds} s after the request`
  return deadline === "idle" ? `stopped sending for ${seconds} s` : `did not finish within ${seconds} s`
}

export const make = ({ alarm, clock, deadlines, onEnd }: Options): Watchdog => {
  const started = clock.unsafeCurrentTimeMillis()
  let last = started
  let heard = false
  let waiting = false
  let drainMs: number | undefined
  let cancel: () => void = () => undefined

  const silenceMs = () => drainMs ?? (heard ? deadlines.idleMs : deadlines.firstEventMs)
  const due = (now: number) => Math.min(started + deadlines.totalMs, (waiting ? now : last) + silenceMs())
  const look = () => {
    const now = clock.unsafeCurrentTimeMillis()
    const at = due(now)
    if (now < at) cancel = alarm(at - now, look)
    else if (now - started >= deadlines.totalMs)
      onEnd(drainMs === undefined ? new Expired({ deadline: "total", afterMs: deadlines.totalMs }) : undefined)
    else if (drainMs !== undefined) onEnd()
    else onEnd(new Expired({ deadline: heard ? "idle" : "first_event", afterMs: silenceMs() }))
  }
  /** What may be silent for shorter than before is looked at sooner. */
  const shorten = () => {
    cancel()
    last = clock.unsafeCurrentTimeMillis()
    look()
  }
  look()
  return {
    touch: () => {
      if (drainMs !== undefined) return
      if (heard) last = clock.unsafeCurrentTimeMillis()
      else {
        heard = true
        shorten()
      }
    },
    setWaiting: (value) => {
      waiting = value
      last = clock.unsafeCurrentTimeMillis()
    },
    finish: (ms) => {
      if (drainMs !== undefined && ms >= drainMs) return
      drainMs = ms
      shorten()
    },
    stop: () => cancel()
  }
}
