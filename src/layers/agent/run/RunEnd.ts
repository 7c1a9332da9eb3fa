/**
 * The end of a run, in one step that nothing can come between: what is queued goes on with the run, goes back to its
 * senders, or stays; then the session is free, and the end is told (supplement 4.3).
 */
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import type { Occupancy } from "./Occupancy.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { RunResult } from "./Run.ts"
import type { RunJournal } from "./RunJournal.ts"

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly occupancy: Occupancy
  readonly prompts: OpenPrompts
  readonly queues: SessionQueue
}

export type RunEnd = ReturnType<typeof make>

export const make = ({ occupancy, prompts, publish, queues }: Dependencies) => {
  let handsBack = false
  let handedBack: ReadonlyArray<QueuedMessage> = []

  const takeQueue = () => {
    if (handsBack) handedBack = [...handedBack, ...queues.take()]
    handsBack = false
  }

  return {
    /** What is queued when the run ends goes back to its senders. */
    handBack: () => {
      handsBack = true
    },
    /** What was handed back, once; when no run has asked for it, the queue as it is now. */
    collect: () => {
      takeQueue()
      prompts.drop(handedBack, true)
      const items = handedBack
      handedBack = []
      return items
    },
    /** Ends the run, unless something has come up meanwhile: records to store, or messages to go on with. */
    publish: (journal: RunJournal, { mayGoOn, ...result }: RunResult): "over" | "store" | "goOn" => {
      const { messages, runId } = journal
      takeQueue()
      if (occupancy.hasLate()) return "store"
      if (mayGoOn && queues.size() > 0) return "goOn"
      occupancy.free()
      publish({ _tag: "RunEnded", runId, messages })
      prompts.settle(runId, result, handedBack)
      publish({ _tag: "RunSettled", runId, aborted: result.status === "aborted" })
      publish({ _tag: "SessionSettled" })
      return "over"
    }
  }
}
