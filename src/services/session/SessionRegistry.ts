/** The open sessions of a process. Each belongs to the host that has opened it, and is closed when nobody holds it any more. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { SessionLog } from "../storage/SessionStore.ts"
import type { Sessions, SessionServices } from "./Sessions.ts"

export class SessionRegistry extends Context.Tag("heddle/services/session/SessionRegistry")<
  SessionRegistry,
  {
    /**
     * Another host, until the scope closes. It begins in the session of this log and goes to others by itself; it hears of no
     * session but its own. Serve a connection with it as its `Sessions`.
     */
    readonly host: <E, R>(
      log: Effect.Effect<SessionLog, E, R | Scope.Scope>
    ) => Effect.Effect<typeof Sessions.Service, E, Scope.Scope | Exclude<R, Scope.Scope>>
    /** The open session that has this id by now. It stays open at least until the scope closes. */
    readonly lease: (
      sessionId: string
    ) => Effect.Effect<Option.Option<Context.Context<SessionServices>>, never, Scope.Scope>
    /** The ids of all open sessions. */
    readonly ids: Effect.Effect<ReadonlyArray<string>>
  }
>() {}
