/** The hub of a session's events. It tells by itself when the conversation is not stored any more (protocol.md 9.2). */
import * as Effect from "effect/Effect"
import type { Session } from "../../../services/session/Session.ts"
import * as EventHub from "./EventHub.ts"

export const make = (session: typeof Session.Service) => {
  const hub = EventHub.make()
  const watch = session.watchFailures(({ message: error }) => {
    const message = `${error}. The conversation goes on in memory and is lost when the process ends.`
    hub.publish({ _tag: "PersistFailed", error })
    hub.publish({ _tag: "Notice", level: "error", message, source: "session-persistence" })
  })
  return Effect.as(watch, hub)
}
