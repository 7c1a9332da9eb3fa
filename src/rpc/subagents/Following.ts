/** Sessions publish the events of their subagents only while a host has subscribed to them. This keeps them told. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import { Agent, type EventSink } from "../../services/Agent.ts"
import type { Sessions } from "../../services/session/Sessions.ts"
import type { Connection } from "../Connection.ts"

const isWanted = ({ subagents }: Connection) => subagents === "events"

/** Tells the current session whether the events of its subagents are wanted. */
const tell = (sessions: typeof Sessions.Service, wanted: boolean) =>
  Effect.flatMap(sessions.current, (session) => Context.get(session, Agent).subagents.forward(wanted))

/**
 * The same sink, which also asks each session that becomes the current one for what the host has subscribed to. `run`
 * starts an effect at once, before the new session can have a run.
 */
export const sink = (
  writer: EventSink,
  connection: Connection,
  sessions: typeof Sessions.Service,
  run: (effect: Effect.Effect<void>) => void
): EventSink => ({
  offer: (event: AgentEvent) => {
    writer.offer(event)
    if (event._tag === "SessionChanged" && isWanted(connection)) run(tell(sessions, true))
  },
  ready: writer.ready
})

/** A host that has gone hears nothing more. */
export const end = (connection: Connection, sessions: typeof Sessions.Service): Effect.Effect<void> =>
  Effect.suspend(() => (isWanted(connection) ? tell(sessions, false) : Effect.void))
