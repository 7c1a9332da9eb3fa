/**
 * Calls back once the Effect clock has moved on. Under the system's clock that is a timer and costs no fiber; under
 * any other, as in tests, a fiber sleeps.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"

/** Hands back what takes the alarm back. */
export type Alarm = (ms: number, ring: () => void) => () => void

const systemClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/** What an alarm of another clock needs goes with the scope of whoever uses it. */
export const isSystem = (clock: Clock.Clock): boolean => clock === systemClock

const timer: Alarm = (ms, ring) => {
  const handle = setTimeout(ring, ms)
  return () => clearTimeout(handle)
}

const sleeper = Effect.map(FiberSet.makeRuntime<never>(), (run): Alarm => {
  return (ms, ring) => {
    const fiber = run(Effect.zipRight(Effect.sleep(ms), Effect.sync(ring)))
    return () => fiber.unsafeInterruptAsFork(FiberId.none)
  }
})

/** Hands the alarm of this clock on; what it needs goes with the scope. */
export const use = <A>(clock: Clock.Clock, scope: Scope.Scope, start: (alarm: Alarm) => Effect.Effect<A>) =>
  isSystem(clock) ? start(timer) : Effect.flatMap(Scope.extend(sleeper, scope), start)
