/** Runs one call of any protocol: answer of an SDK → events → state machine → buffer, under a watchdog. Owned by the scope. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { ModelEvents, ModelFailure, ModelRequest } from "../../../../services/model/ModelClient.ts"
import * as Alarm from "../../../platform/Alarm.ts"
import * as EventBuffer from "../../../platform/EventBuffer.ts"
import * as ServerEvents from "../../../platform/http/ServerEvents.ts"
import type { Connection } from "../../Protocol.ts"
import type { Dialect } from "./Dialect.ts"
import * as Failures from "../failures/Failures.ts"
import { lastBytesMs, type Machine } from "./Machine.ts"
import * as Watchdog from "./Watchdog.ts"

export interface Call<Raw extends object> {
  /** Its end is the end of the call. */
  readonly scope: Scope.Scope
  readonly request: ModelRequest
  readonly connection: Connection
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly dialect: Dialect
  readonly machine: Machine<Raw>
  readonly deadlines?: Watchdog.Deadlines
}

/** Events that may wait. Few, because a batch of them is worked on before anybody else gets a turn. */
export const capacity = 128

type Cut = ServerEvents.Cut<ModelFailure>
type Source = ServerEvents.Source<ModelEvent, ModelFailure>

const sourceOf =
  <Raw extends object>(call: Call<Raw>, clock: Clock.Clock, alarm: Alarm.Alarm) =>
  (cut: Cut): Source => {
    const { connection, deadlines = Watchdog.defaults, dialect, machine, open, request } = call
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
    const listener = { take: machine.take, over: () => watchdog.finish(lastBytesMs) }
    return {
      open,
      onAnswer: ({ headers }) => {
        contentType = headers.get("content-type") ?? ""
      },
      onBytes: watchdog.touch,
      take: (event) => {
        silent = false
        const stop = dialect(event, listener)
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

export const stream = <Raw extends object>(call: Call<Raw>): Effect.Effect<ModelEvents> =>
  Effect.clockWith((clock) =>
    Alarm.use(clock, call.scope, (alarm) => {
      const events = EventBuffer.make<ModelEvent, ModelFailure>(capacity)
      // Only a timer of the system is gone with the events.
      const { isOver, takeAll } = events
      const handed = Alarm.isSystem(clock) ? { takeAll, isOver } : { takeAll }
      return Effect.as(ServerEvents.start(events, call.scope, sourceOf(call, clock, alarm)), handed)
    })
  )
