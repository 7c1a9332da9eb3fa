/** Deadlines of one call, on the Effect clock. Activity is a number written down; one fiber looks at it now and then. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export interface Deadlines {
  /** From the start to the first bytes of the answer: prompts take long to read on small machines. */
  readonly firstEventMs: number
  readonly idleMs: number
  readonly totalMs: number
  /** How long a finished stream may stay open, so that its connection can be used again. */
  readonly drainMs: number
}

export const defaults: Deadlines = { firstEventMs: 300_000, idleMs: 120_000, totalMs: 3_600_000, drainMs: 250 }

export class Expired extends Data.TaggedError("Expired")<{
  readonly deadline: "first_event" | "idle" | "total"
  readonly afterMs: number
}> {}

export interface Watchdog {
  readonly touch: () => void
  /** While our own reader is behind, the silence is ours. */
  readonly setWaiting: (waiting: boolean) => void
  readonly finish: () => void
  /** Fails when a deadline passes; returns when the stream had finished but did not end. */
  readonly watch: Effect.Effect<void, Expired>
}

export const describe = ({ afterMs, deadline }: Expired): string => {
  const seconds = Math.round(afterMs / 1000)
  if (deadline === "first_event") return `sent nothing for ${seconds} s after the request`
  return deadline === "idle" ? `stopped sending for ${seconds} s` : `did not finish within ${seconds} s`
}

export const make = Effect.fnUntraced(function* (deadlines: Deadlines) {
  const clock = yield* Effect.clock
  const started = clock.unsafeCurrentTimeMillis()
  const done = Effect.unsafeMakeLatch(false)
  let last = started
  let heard = false
  let waiting = false

  const due = () => {
    const silence = heard ? deadlines.idleMs : deadlines.firstEventMs
    return Math.min(started + deadlines.totalMs, (waiting ? clock.unsafeCurrentTimeMillis() : last) + silence)
  }
  const expired = (now: number) => {
    const total = now - started >= deadlines.totalMs
    const afterMs = total ? deadlines.totalMs : heard ? deadlines.idleMs : deadlines.firstEventMs
    return new Expired({ deadline: total ? "total" : heard ? "idle" : "first_event", afterMs })
  }
  const deadline = Effect.gen(function* () {
    while (true) {
      const now = clock.unsafeCurrentTimeMillis()
      const at = due()
      if (now >= at) return yield* expired(now)
      yield* Effect.sleep(at - now)
    }
  })
  const watchdog: Watchdog = {
    touch: () => {
      heard = true
      last = clock.unsafeCurrentTimeMillis()
    },
    setWaiting: (value) => {
      waiting = value
      last = clock.unsafeCurrentTimeMillis()
    },
    finish: () => done.unsafeOpen(),
    watch: Effect.raceFirst(deadline, Effect.zipRight(done.await, Effect.sleep(deadlines.drainMs)))
  }
  return watchdog
})
