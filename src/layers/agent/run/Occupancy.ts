/** Whether a session is free for a prompt, and what has to wait until it is. */
import * as Effect from "effect/Effect"
import type { BashExecutionMessage } from "../../../domain/conversation/Message.ts"
import { AgentBusy, AgentClosing } from "../../../services/Agent.ts"
import type { Session } from "../../../services/session/Session.ts"

export type Occupancy = ReturnType<typeof make>

export const make = (session: typeof Session.Service) => {
  let busy = false
  let closing = false
  /** A prompt is on its way to becoming a run. Opened when it is one, or is refused; made by the first who waits for it. */
  let accepting: { latch?: Effect.Latch } | undefined
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
    claim: (): AgentBusy | AgentClosing | undefined => {
      if (closing) return new AgentClosing()
      if (busy) return new AgentBusy()
      busy = true
      return undefined
    },
    /** Of a prompt: until `accepted` is called, who wants to end its run waits for it to begin. */
    accept: () => {
      accepting = {}
    },
    accepted: () => {
      accepting?.latch?.unsafeOpen()
      accepting = undefined
    },
    /** Returns when no prompt is on its way. */
    settled: Effect.suspend(() => {
      if (accepting === undefined) return Effect.void
      accepting.latch ??= Effect.unsafeMakeLatch(false)
      return accepting.latch.await
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
