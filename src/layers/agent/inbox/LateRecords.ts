/** Late records: results of the user's shell commands that end during a run, stored after its messages. */
import * as Effect from "effect/Effect"
import type { BashExecutionMessage } from "../../../domain/conversation/Message.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { RunState } from "../run/RunState.ts"

export type LateRecords = ReturnType<typeof make>

export const make = (session: typeof Session.Service, state: RunState) => {
  const waiting: Array<BashExecutionMessage> = []
  let closed = false
  const append = (message: BashExecutionMessage) => session.append({ type: "message", message })
  return {
    record: (message: BashExecutionMessage): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (closed) return Effect.void
        if (state.isBusy()) return Effect.sync(() => void waiting.push(message))
        return Effect.asVoid(append(message))
      }),
    /** The host has left the session: later results are dropped. */
    close: () => {
      closed = true
    },
    isEmpty: () => waiting.length === 0,
    store: Effect.suspend(() =>
      waiting.length === 0 ? Effect.void : Effect.forEach(waiting.splice(0), append, { discard: true })
    )
  }
}
