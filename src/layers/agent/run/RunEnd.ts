/**
 * The end of a run, in one step that nothing can come between: queued messages continue the run, return to their
 * senders, or stay queued; then the session is free, and the end is published (supplement 4.3).
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import { atEnd, due, type HandBack } from "../../../domain/inbox/State.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import type { Messages } from "../inbox/Messages.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { RunResult } from "./Run.ts"
import type { RunJournal } from "./RunJournal.ts"

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly messages: Messages
  readonly queue: SessionQueue
  readonly relay: EventRelay
}

export type RunEnd = ReturnType<typeof make>

export const make = ({ messages: inbox, publish, queue, relay }: Dependencies) => {
  const keep = (items: ReadonlyArray<QueuedMessage>) => void inbox.tell({ _tag: "HandedBack", items })

  const takeQueue = Effect.suspend(() => {
    const items = due(inbox.state())
    if (items.length === 0) return Effect.void
    if (inbox.state().handsBack === "all") return Effect.asVoid(queue.take(keep))
    queue.putAside(items)
    keep(items)
    return Effect.void
  })

  const takeNow = Effect.map(takeQueue, () => {
    inbox.tell({ _tag: "HandBackOver" })
  })

  return {
    /** An abort was asked for: messages that are queued when the run ends return to their senders. */
    handBack: (which: HandBack) => {
      inbox.tell({ _tag: "HandBackAsked", which })
    },
    /** Takes the queue, if it is to be handed back. To be called before `publish`. */
    takeQueue,
    /** Takes the queue where no run takes it. */
    takeNow,
    /** Answers the messages that were handed back, once. Of a run that still ends, those that are queued at this moment. */
    collect: Effect.uninterruptible(
      Effect.map(takeNow, () => {
        const items = inbox.state().handedBack
        inbox.drop(items)
        inbox.tell({ _tag: "Collected" })
        return items
      })
    ),
    /** Ends the run, unless something is to be stored first or queued messages continue it. */
    publish: ({ messages, runId }: RunJournal, { mayGoOn, ...result }: RunResult): "over" | "store" | "goOn" => {
      const next = atEnd(inbox.state(), mayGoOn)
      if (next === "goOn") inbox.tell({ _tag: "RunWentOn", runId })
      if (next !== "over") return next
      const aborted = result.status === "aborted"
      const { ended } = inbox.tell({ _tag: "RunOver", runId, result })
      relay.together(() => {
        publish({ _tag: "RunEnded", runId, messages, ...(aborted ? { aborted } : {}) })
        inbox.reportAll(ended)
        publish({ _tag: "RunSettled", runId, aborted })
        inbox.tellSettled()
      })
      return next
    }
  }
}
