/** A session as a scope: everything that belongs to it is built here and closed together. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import type { Agent } from "../../../services/Agent.ts"
import { type OpenedLog, Session } from "../../../services/session/Session.ts"
import type { SessionLog } from "../../../services/session/SessionStore.ts"
import type { SessionServices } from "../../../services/session/Sessions.ts"
import * as CurrentSession from "../../session/CurrentSession.ts"
import * as SessionAgent from "../SessionAgent.ts"
import type { SessionControl } from "../SessionControl.ts"

export interface OpenSession {
  readonly services: Context.Context<SessionServices>
  readonly agent: typeof Agent.Service
  readonly session: typeof Session.Service
  readonly control: SessionControl
  readonly scope: Scope.CloseableScope
  /** A handoff replaces it. */
  readonly kept: Ref.Ref<OpenedLog>
}

const build = Effect.fnUntraced(function* (log: OpenedLog, options: SessionAgent.SessionAgentOptions) {
  const kept = yield* Ref.make(log)
  const session = yield* CurrentSession.make(kept)
  const made = yield* Effect.provideService(SessionAgent.make(options), Session, session)
  return { ...made, session, kept }
})

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Builds a session around a log, which stays open when that fails. To be called under a mask, so that the session is
 * never lost; `restore` lets its parts be interrupted, and the fibers that it starts for itself.
 */
export const openAround = Effect.fnUntraced(function* (
  log: OpenedLog,
  options: SessionAgent.SessionAgentOptions,
  restore: Restore
) {
  const scope = yield* Scope.make()
  const built = restore(Scope.extend(build(log, options), scope))
  const made = yield* Effect.onError(built, (cause) => Scope.close(scope, Exit.failCause(cause)))
  const session: OpenSession = { ...made, scope }
  return session
})

/** Opens a log, too, and closes it when that fails or is interrupted. */
export const open = <E, R>(
  log: Effect.Effect<SessionLog, E, R | Scope.Scope>,
  options: SessionAgent.SessionAgentOptions,
  restore: Restore
) =>
  Effect.flatMap(CurrentSession.openLog(restore(log)), (opened) =>
    Effect.onError(openAround(opened, options, restore), (cause) => Scope.close(opened.scope, Exit.failCause(cause)))
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
