/**
 * The end of a run, in one step that nothing can come between: queued messages continue the run, return to their
 * senders, or stay queued; then the session is free, and the end is published (supplement 4.3).
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { RunResult } from "./Run.ts"
import type { RunJournal } from "./RunJournal.ts"
import type { RunState } from "./RunState.ts"

type QueuedMessage = MessageQueue.QueuedMessage

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly state: RunState
  readonly late: LateRecords
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
  readonly relay: EventRelay
}

export type RunEnd = ReturnType<typeof make>

/** Which messages of a run's queues return to their senders at its end: all of them, or prompts that somebody waits for. */
export type HandBack = "all" | "prompts"

export const make = ({ late, prompts, publish, queue, relay, state }: Dependencies) => {
  let handsBack: HandBack | undefined
  let handedBack: ReadonlyArray<QueuedMessage> = []

  const due = (): ReadonlyArray<QueuedMessage> => {
    if (handsBack === undefined || queue.sizeForRun() === 0) return []
    const items = MessageQueue.itemsForRun(queue.current())
    return handsBack === "all" ? items : prompts.awaited(items)
  }

  const keep = (items: ReadonlyArray<QueuedMessage>) => {
    handedBack = [...handedBack, ...items]
  }

  const takeQueue = Effect.suspend(() => {
    const items = due()
    if (items.length === 0) return Effect.void
    if (handsBack === "all") return Effect.asVoid(queue.take(keep))
    queue.putAside(items)
    keep(items)
    return Effect.void
  })

  const takeNow = Effect.map(takeQueue, () => {
    handsBack = undefined
  })

  return {
    /** An abort was asked for: messages that are queued when the run ends return to their senders. */
    handBack: (which: HandBack) => {
      handsBack = which
    },
    /** Takes the queue, if it is to be handed back. To be called before `publish`. */
    takeQueue,
    /** Takes the queue where no run takes it. */
    takeNow,
    /** Answers the messages that were handed back, once. Of a run that still ends, those that are queued at this moment. */
    collect: Effect.uninterruptible(
      Effect.map(takeNow, () => {
        prompts.drop(handedBack)
        const items = handedBack
        handedBack = []
        return items
      })
    ),
    /** Ends the run, unless something is to be stored first or queued messages continue it. */
    publish: (journal: RunJournal, { mayGoOn, ...result }: RunResult): "over" | "store" | "goOn" => {
      const { messages, runId } = journal
      if (!late.isEmpty() || due().length > 0) return "store"
      handsBack = undefined
      if (mayGoOn && queue.sizeForRun() > 0) return "goOn"
      const aborted = result.status === "aborted"
      state.settle()
      relay.together(() => {
        publish({ _tag: "RunEnded", runId, messages, ...(aborted ? { aborted } : {}) })
        prompts.settle(runId, result, handedBack)
        publish({ _tag: "RunSettled", runId, aborted })
        if (prompts.isSettled()) publish({ _tag: "SessionSettled" })
      })
      return "over"
    }
  }
}
