/** Whether a session is free for a prompt, and what has to wait until it is. */
import * as Effect from "effect/Effect"
import type { BashExecutionMessage } from "../../domain/Message.ts"
import { AgentBusy, AgentClosing } from "../../services/Agent.ts"
import type { Session } from "../../services/Session.ts"

export type Occupancy = ReturnType<typeof make>

export const make = (session: typeof Session.Service) => {
  let busy = false
  let closing = false
  /** Recorded during a run: they come after its messages. */
  const late: Array<BashExecutionMessage> = []
  const append = (message: BashExecutionMessage) => session.append({ type: "message", message })

  const storeLate = Effect.suspend(() =>
    late.length === 0 ? Effect.void : Effect.forEach(late.splice(0), append, { discard: true })
  )

  const free = () => {
    busy = false
  }

  return {
    /** From the check of a prompt to the end of its run; only one at a time. */
    claim: Effect.suspend((): Effect.Effect<void, AgentBusy | AgentClosing> => {
      if (closing) return new AgentClosing()
      if (busy) return new AgentBusy()
      busy = true
      return Effect.void
    }),
    free,
    /** For a claim that came to nothing. */
    release: Effect.zipRight(storeLate, Effect.sync(free)),
    storeLate,
    hasLate: () => late.length > 0,
    isBusy: () => busy,
    isClosing: () => closing,
    record: (message: BashExecutionMessage) =>
      Effect.uninterruptible(
        Effect.suspend(() => (busy ? Effect.sync(() => void late.push(message)) : append(message)))
      ),
    close: Effect.sync(() => {
      closing = true
    })
  }
}
