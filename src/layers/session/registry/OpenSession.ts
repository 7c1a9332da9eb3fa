/** A session that is open: everything that belongs to it is built in one scope and closed with it. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Ref from "effect/Ref"
import type { Agent } from "../../../services/Agent.ts"
import { type OpenedLog, Session } from "../../../services/session/Session.ts"
import type { SessionServices } from "../../../services/session/Sessions.ts"
import * as CurrentSession from "../core/CurrentSession.ts"
import * as SessionAgent from "../core/SessionAgent.ts"
import type { SessionControl } from "../core/SessionControl.ts"

export interface OpenSession {
  readonly services: Context.Context<SessionServices>
  readonly agent: typeof Agent.Service
  readonly session: typeof Session.Service
  readonly control: SessionControl
}

/** Builds a session around a log, in the scope at hand. The registry calls it. */
export const build = <In>(options: SessionAgent.SessionAgentOptions<In>) =>
  Effect.fnUntraced(function* (kept: Ref.Ref<OpenedLog>) {
    const session = yield* CurrentSession.make(kept)
    const made = yield* Effect.provideService(SessionAgent.make(options), Session, session)
    const open: OpenSession = { ...made, session }
    return open
  })
