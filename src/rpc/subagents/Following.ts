/** Sessions publish the events of their subagents only while a host has subscribed to them. This keeps their subscriptions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SubagentSet } from "../../services/delegation/Subagents.ts"
import type { Sessions, SessionServices } from "../../services/session/Sessions.ts"
import type { Connection } from "../connection/Connection.ts"
import type { Link } from "../connection/Link.ts"

const isWanted = ({ preferences }: Link) => preferences.subagents === "events"

const tell = (session: Context.Context<SessionServices>, wanted: boolean) =>
  Context.get(session, SubagentSet).forward(wanted)

/** Asks a session that the host comes to for what it has subscribed to, before the session can have a run. */
export const begin = (link: Link, session: Context.Context<SessionServices>): Effect.Effect<void> =>
  isWanted(link) ? tell(session, true) : Effect.void

/** A host that has gone hears nothing more. */
export const end = ({ link }: Connection, sessions: typeof Sessions.Service): Effect.Effect<void> =>
  Effect.suspend(() =>
    isWanted(link()) ? Effect.flatMap(sessions.current, (session) => tell(session, false)) : Effect.void
  )
