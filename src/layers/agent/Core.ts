/** The core of a session, for its modules. */
import * as Effect from "effect/Effect"
import { Ids } from "../../services/Ids.ts"
import type { EventLog } from "../../services/session/EventLog.ts"
import { Session } from "../../services/session/Session.ts"
import { type Contribution, SessionCore } from "../../services/session/SessionCore.ts"
import type { SessionOptions } from "../../services/session/SessionOptions.ts"
import type { Supervision } from "../../services/supervision/Supervision.ts"

interface Parts {
  readonly options: SessionOptions
  readonly events: EventLog
  readonly announce: () => void
  readonly supervision: Supervision
  readonly fork: (typeof SessionCore.Service)["fork"]
}

export const make = Effect.fnUntraced(function* (parts: Parts) {
  const clock = yield* Effect.clock
  const contributions: Array<Contribution> = []
  return SessionCore.of({
    ...parts,
    entries: yield* Session,
    ids: yield* Ids,
    now: () => clock.unsafeCurrentTimeMillis(),
    contribute: (contribution) => void contributions.push(contribution),
    contributions: () => contributions
  })
})
