/** Runs one model call of any protocol: the SDK's response → events → state machine → mailbox, under a watchdog. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { ModelFailure, ModelRequest } from "../../../../services/model/ModelClient.ts"
import * as Alarm from "../../../platform/Alarm.ts"
import * as Intake from "../../../platform/Intake.ts"
import * as ServerEvents from "../../../platform/http/ServerEvents.ts"
import type { Connection } from "../../Protocol.ts"
import * as Failures from "../failures/Failures.ts"
import type { Dialect } from "./Dialect.ts"
import { lastBytesMs, type Machine, type Stop } from "./Machine.ts"
import * as Watchdog from "./Watchdog.ts"

export interface Call<Raw extends object> {
  readonly request: ModelRequest
  readonly connection: Connection
  readonly open: (signal: AbortSignal) => Promise<Response>
  readonly dialect: Dialect
  readonly machine: Machine<Raw>
  readonly deadlines?: Watchdog.Deadlines
  readonly maxAnswerBytes: number
  readonly mask: (text: string) => string
}

/** Events that may wait for the reader. Few, because the reader handles a whole batch before other fibers run. */
export const capacity = 128

type Source = ServerEvents.Source<ModelEvent, ModelFailure>

const sourceOf =
  <Raw extends object>(call: Call<Raw>, clock: Clock.Clock, alarm: Alarm.Alarm) =>
  (cut: Intake.Cut<ModelFailure>): Source => {
    const { connection, deadlines = Watchdog.defaults, dialect, machine, mask, maxAnswerBytes, open, request } = call
    let contentType = ""
    let silent = true
    const fail = (input: Failures.Input) =>
      Failures.make(input, { request, connection, contentType, silent, mask, now: clock.unsafeCurrentTimeMillis() })
    const failStop = (stop: Stop | undefined) => (stop === undefined ? undefined : fail(stop))
    const watchdog = Watchdog.make({
      deadlines,
      clock,
      alarm,
      onEnd: (expired) => cut(expired === undefined ? undefined : fail(expired))
    })
    const listener = { take: machine.take, over: () => watchdog.finish(lastBytesMs) }
    return {
      open,
      maxBytes: maxAnswerBytes,
      onAnswer: ({ headers }) => {
        contentType = headers.get("content-type") ?? ""
      },
      onBytes: watchdog.touch,
      take: (event) => {
        silent = false
        const stop = dialect(event, listener)
        if (machine.finished()) watchdog.finish(machine.drainMs)
        return failStop(stop ?? machine.fault())
      },
      drain: machine.drain,
      failed: fail,
      end: () => failStop(machine.end()),
      onWaiting: watchdog.setWaiting,
      onClosed: watchdog.stop
    }
  }

/** The call belongs to the scope: closing it ends the reading, the connection and the mailbox. */
export const stream = <Raw extends object>(call: Call<Raw>) =>
  Effect.clockWith((clock) =>
    Effect.flatMap(Alarm.make, (alarm) => ServerEvents.open(capacity, sourceOf(call, clock, alarm)))
  )
