/**
 * The end of a run, in one step that nothing can come between: queued messages continue the run, return to their
 * senders, or stay queued; then the session is free, and the end is published (supplement 4.3).
 */
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { RunResult } from "./Run.ts"
import type { RunJournal } from "./RunJournal.ts"
import type { RunState } from "./RunState.ts"

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly state: RunState
  readonly late: LateRecords
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
}

export type RunEnd = ReturnType<typeof make>

export const make = ({ late, prompts, publish, queue, state }: Dependencies) => {
  let handsBack = false
  let handedBack: ReadonlyArray<QueuedMessage> = []

  const takeQueue = () => {
    if (handsBack) handedBack = [...handedBack, ...queue.take()]
    handsBack = false
  }

  return {
    /** An abort was asked for: messages that are queued when the run ends return to their senders. */
    handBack: () => {
      handsBack = true
    },
    /** Answers the messages that were handed back, once. Without a run that took them, takes the queue as it is. */
    collect: () => {
      takeQueue()
      prompts.drop(handedBack, true)
      const items = handedBack
      handedBack = []
      return items
    },
    /** Ends the run, unless late records are to be stored or queued messages continue it. */
    publish: (journal: RunJournal, { mayGoOn, ...result }: RunResult): "over" | "store" | "goOn" => {
      const { messages, runId } = journal
      takeQueue()
      if (!late.isEmpty()) return "store"
      if (mayGoOn && queue.size() > 0) return "goOn"
      state.settle()
      publish({ _tag: "RunEnded", runId, messages })
      prompts.settle(runId, result, handedBack)
      publish({ _tag: "RunSettled", runId, aborted: result.status === "aborted" })
      publish({ _tag: "SessionSettled" })
      return "over"
    }
  }
}
