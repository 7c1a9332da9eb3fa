/** Runs one call of any protocol: SDK stream → state machine → buffer, under a watchdog. Owned by the scope. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ModelEvent } from "../../../domain/ModelEvent.ts"
import type { ModelEvents, ModelFailure, ModelRequest } from "../../../services/ModelClient.ts"
import * as Alarm from "../../platform/Alarm.ts"
import * as EventBuffer from "../../platform/EventBuffer.ts"
import * as SdkPump from "../../platform/SdkPump.ts"
import { Watch } from "../../platform/WatchedFetch.ts"
import type { Connection } from "../Protocol.ts"
import * as Failures from "./Failures.ts"
import type { Machine } from "./Machine.ts"
import * as Watchdog from "./Watchdog.ts"

export interface Call<Raw> {
  /** Its end is the end of the call. */
  readonly scope: Scope.Scope
  readonly request: ModelRequest
  readonly connection: Connection
  readonly open: (signal: AbortSignal, watch: Watch) => Promise<AsyncIterable<Raw>>
  readonly machine: Machine<Raw>
  readonly deadlines?: Watchdog.Deadlines
}

/** Events that may wait. Few, because a batch of them is worked on before anybody else gets a turn. */
export const capacity = 128

type Cut = SdkPump.Cut<ModelFailure>
type Source<Raw> = SdkPump.Source<Raw, ModelEvent, ModelFailure>

const sourceOf =
  <Raw>(call: Call<Raw>, clock: Clock.Clock, alarm: Alarm.Alarm) =>
  (cut: Cut): Source<Raw> => {
    const { connection, deadlines = Watchdog.defaults, machine, request } = call
    let contentType = ""
    let silent = true
    const fail = (input: Failures.Input) =>
      Failures.make(input, { request, connection, contentType, silent, now: clock.unsafeCurrentTimeMillis() })
    const watchdog = Watchdog.make({
      deadlines,
      clock,
      alarm,
      onEnd: (expired) => cut(expired === undefined ? undefined : fail(expired))
    })
    const watch = new Watch((answer) => {
      contentType = answer.contentType
    }, watchdog.touch)
    return {
      open: (signal) => call.open(signal, watch),
      take: (raw) => {
        silent = false
        const stop = machine.take(raw)
        if (machine.finished()) watchdog.finish(machine.drainMs)
        return stop === undefined ? undefined : fail(stop)
      },
      drain: machine.drain,
      failed: fail,
      end: () => {
        const stop = machine.end()
        return stop === undefined ? undefined : fail(stop)
      },
      onWaiting: watchdog.setWaiting,
      onClosed: watchdog.stop
    }
  }

export const stream = <Raw>(call: Call<Raw>): Effect.Effect<ModelEvents> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(Alarm.make(clock, call.scope), (alarm) => {
      const events = EventBuffer.make<ModelEvent, ModelFailure>(capacity)
      return Effect.as(SdkPump.start(events, call.scope, sourceOf(call, clock, alarm)), events)
    })
  )
