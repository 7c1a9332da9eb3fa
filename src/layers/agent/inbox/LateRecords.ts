/**
 * Late records: results of the user's shell commands that end during a run. They become messages after those of the run,
 * but are in the log before their command is answered (domain/session/LateEntries.ts).
 */
import * as Effect from "effect/Effect"
import type { BashExecutionMessage } from "../../../domain/conversation/Message.ts"
import * as LateEntries from "../../../domain/session/LateEntries.ts"
import type { Ids } from "../../../services/Ids.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { RunState } from "../run/RunState.ts"

interface Dependencies {
  readonly session: Pick<typeof Session.Service, "append">
  readonly state: RunState
  readonly ids: typeof Ids.Service
}

export type LateRecords = ReturnType<typeof make>

export const make = ({ ids, session, state }: Dependencies) => {
  const waiting: Array<LateEntries.LateRecord> = []
  let closed = false
  return {
    /** Returns when the result is stored, as a message or as one to come. */
    record: (message: BashExecutionMessage): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (closed) return Effect.void
        if (!state.isBusy()) return Effect.asVoid(session.append({ type: "message", message }))
        const record = { messageId: ids.next("message"), message }
        waiting.push(record)
        return Effect.asVoid(session.append(LateEntries.recorded([record])))
      }),
    /** The host has left the session: later results are dropped. */
    close: () => {
      closed = true
    },
    isEmpty: () => waiting.length === 0,
    store: Effect.suspend(() =>
      waiting.length === 0
        ? Effect.void
        : Effect.forEach(waiting.splice(0), (record) => session.append(LateEntries.stored(record)), { discard: true })
    )
  }
}
