/**
 * Notifies one extension of the beginning or the end of its life. A reload is both, without a change of the session, so the
 * hooks of the session do not.
 */
import * as Effect from "effect/Effect"
import * as Call from "../../machine/foreign/Call.ts"
import * as ForeignCall from "../../machine/foreign/ForeignCall.ts"
import * as Context from "../context/Context.ts"
import type { Instance } from "../instance/Instance.ts"
import type { Handler } from "../instance/Values.ts"

export type Moment = "session_start" | "session_shutdown"

/** How long each handler may take. */
const limits = { session_start: "30 seconds", session_shutdown: "2 seconds" } as const

const notifyOne = (instance: Instance, moment: Moment, handler: Handler) => {
  const call = Call.make()
  const event = { type: moment, reason: "reload" }
  return ForeignCall.run(() => instance.enter(handler)(event, Context.make(instance, call)), call.abort).pipe(
    Effect.timeoutFail({
      duration: limits[moment],
      onTimeout: () => new ForeignCall.ForeignFailure({ message: `took longer than ${limits[moment]}` })
    }),
    Effect.catchAll((failure) => Effect.sync(() => instance.report(moment, failure)))
  )
}

export const notify = (instance: Instance, moment: Moment): Effect.Effect<void> =>
  Effect.forEach([...instance.lifecycle[moment]], (handler) => notifyOne(instance, moment, handler), { discard: true })
