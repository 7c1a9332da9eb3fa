/** A session as a scope: everything that belongs to it is built here and closed together. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { Agent } from "../../../services/Agent.ts"
import { type OpenedLog, Session } from "../../../services/session/Session.ts"
import type { SessionServices } from "../../../services/session/Sessions.ts"
import * as CurrentSession from "../../session/CurrentSession.ts"
import * as SessionAgent from "../SessionAgent.ts"

export interface OpenSession {
  readonly services: Context.Context<SessionServices>
  readonly agent: typeof Agent.Service
  readonly session: typeof Session.Service
  readonly control: SessionAgent.SessionControl
  readonly scope: Scope.CloseableScope
  /** A handoff replaces it. */
  readonly kept: Ref.Ref<OpenedLog>
}

const build = Effect.fnUntraced(function* (log: OpenedLog, options: SessionAgent.SessionAgentOptions) {
  const kept = yield* Ref.make(log)
  const session = yield* CurrentSession.make(kept)
  const { agent, control } = yield* Effect.provideService(SessionAgent.make(options), Session, session)
  const services = Context.make(Agent, agent).pipe(Context.add(Session, session))
  return { services, agent, session, control, kept }
})

/** Builds the session around a log. When that fails, the log is closed. */
export const open = (log: OpenedLog, options: SessionAgent.SessionAgentOptions) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const scope = yield* Scope.make()
      // Fibers that the session starts for itself can be interrupted, whoever opens it.
      const built = restore(Scope.extend(build(log, options), scope))
      const made = yield* Effect.onError(built, (cause) => {
        const exit = Exit.failCause(cause)
        return Effect.zipRight(Scope.close(scope, exit), Scope.close(log.scope, exit))
      })
      const session: OpenSession = { ...made, scope }
      return session
    })
  )

/** Interrupts whatever runs in the session and closes everything but its log. */
export const closeAround = ({ control, scope }: OpenSession): Effect.Effect<void> =>
  Effect.suspend(() => {
    control.leave()
    return Scope.close(scope, Exit.void)
  })

/** The log goes last: what the session has said is stored by then. */
export const close = (session: OpenSession): Effect.Effect<void> =>
  Effect.zipRight(
    closeAround(session),
    Effect.flatMap(Ref.get(session.kept), ({ scope }) => Scope.close(scope, Exit.void))
  )
