/** Whether a session is free for a prompt, and what has to wait until it is. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { BashExecutionMessage } from "../../domain/Message.ts"
import { AgentBusy, AgentClosing } from "../../services/Agent.ts"
import type { Session } from "../../services/Session.ts"

interface Status {
  readonly busy: boolean
  readonly closing: boolean
}

export const make = Effect.fnUntraced(function* (session: typeof Session.Service) {
  const status = yield* Ref.make<Status>({ busy: false, closing: false })
  /** Recorded during a run: they come after its messages. */
  const late: Array<BashExecutionMessage> = []
  const append = (message: BashExecutionMessage) => session.append({ type: "message", message })

  /** From the check of a prompt to the end of its run; only one at a time. */
  const claim = Effect.flatten(
    Ref.modify(status, (now): readonly [Effect.Effect<void, AgentBusy | AgentClosing>, Status] => {
      if (now.closing) return [new AgentClosing(), now]
      return now.busy ? [new AgentBusy(), now] : [Effect.void, { ...now, busy: true }]
    })
  )

  const free = Effect.zipRight(
    Effect.suspend(() => Effect.forEach(late.splice(0), append, { discard: true })),
    Ref.update(status, (now) => ({ ...now, busy: false }))
  )

  const isBusy = Effect.map(Ref.get(status), ({ busy }) => busy)

  const record = (message: BashExecutionMessage) =>
    Effect.uninterruptible(
      Effect.flatMap(isBusy, (busy) => (busy ? Effect.sync(() => void late.push(message)) : append(message)))
    )

  return { claim, free, isBusy, record, close: Ref.update(status, (now) => ({ ...now, closing: true })) }
})
