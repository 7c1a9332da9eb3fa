/**
 * Calls back once Effect's clock has advanced. Under the system's clock an alarm is a timer, because a sleeping fiber
 * that is interrupted at the end adds 0.4 ms of work to every model call (docs/decisions/0012-model-calls.md). Under any
 * other clock, as in tests, a fiber sleeps.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { clearTimeout, setTimeout } from "./Primordials.ts"

/** Returns a function that cancels the alarm. */
export type Alarm = (ms: number, ring: () => void) => () => void

const systemClock = Context.get(DefaultServices.liveServices, Clock.Clock)

const timer: Alarm = (ms, ring) => {
  const handle = setTimeout(ring, ms)
  return () => clearTimeout(handle)
}

const quietTimer: Alarm = (ms, ring) => {
  const handle = setTimeout(ring, ms)
  handle.unref()
  return () => clearTimeout(handle)
}

const sleeper = Effect.map(FiberSet.makeRuntime<never>(), (run): Alarm => {
  return (ms, ring) => {
    const fiber = run(Effect.interruptible(Effect.zipRight(Effect.sleep(ms), Effect.sync(ring))))
    return () => fiber.unsafeInterruptAsFork(FiberId.none)
  }
})

const ofClock = (timer: Alarm): Effect.Effect<Alarm, never, Scope.Scope> =>
  Effect.clockWith((clock) => (clock === systemClock ? Effect.succeed(timer) : sleeper))

/** The alarm of the current clock. Its user cancels what it has set; sleeping fibers also end with the scope. */
export const make = ofClock(timer)

/** The same, but a process that has nothing else to do ends before it rings. */
export const makeQuiet = ofClock(quietTimer)
