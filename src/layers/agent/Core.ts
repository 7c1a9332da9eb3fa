/** The core of a session, for its modules. */
import * as Effect from "effect/Effect"
import type { SessionOpening } from "../../services/hooks/HookPoints.ts"
import { Ids } from "../../services/Ids.ts"
import type { EventLog } from "../../services/session/EventLog.ts"
import { Session } from "../../services/session/Session.ts"
import { type Contribution, SessionCore } from "../../services/session/SessionCore.ts"
import type { Supervision } from "../../services/supervision/Supervision.ts"

interface Options {
  readonly cwd: string
  readonly opening: SessionOpening
  readonly events: EventLog
  readonly announce: () => void
  readonly supervision: Supervision
  readonly fork: (typeof SessionCore.Service)["fork"]
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const clock = yield* Effect.clock
  const contributions: Array<Contribution> = []
  return SessionCore.of({
    ...options,
    entries: yield* Session,
    ids: yield* Ids,
    now: () => clock.unsafeCurrentTimeMillis(),
    contribute: (contribution) => void contributions.push(contribution),
    contributions: () => contributions
  })
})
