/** Accepted prompts that have not ended, in the order of their acceptance. Each ends with exactly one report. */
import type { AgentEvent, PromptEnd, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"

interface OpenPrompt {
  /** Who waits for the end: the request that brought it, and every one that sent the same again. */
  readonly requests: Array<RequestId | undefined>
  /** The run that has taken it; until then it waits in the queue. */
  runId: string | undefined
}

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly ended: (messageId: string, end: PromptEnd) => void
}

/** It waited in the queue and was taken out again. */
const dropped: PromptEnd = { status: "aborted" }

export type OpenPrompts = ReturnType<typeof make>

export const make = ({ ended, publish }: Dependencies) => {
  const open = new Map<string, OpenPrompt>()

  const report = (requestId: RequestId | undefined, end: PromptEnd, sessionSettled: boolean) =>
    publish({ _tag: "PromptFinished", ...(requestId === undefined ? {} : { requestId }), ...end, sessionSettled })

  const finish = (messageId: string, end: PromptEnd, sessionSettled: boolean) => {
    const requests = open.get(messageId)?.requests ?? []
    open.delete(messageId)
    ended(messageId, end)
    for (const requestId of requests) report(requestId, end, sessionSettled)
  }

  return {
    accept: (messageId: string, requestId: RequestId | undefined, runId?: string) =>
      void open.set(messageId, { requests: [requestId], runId }),
    /** A run has taken this message; nothing happens unless it is a prompt. */
    take: (messageId: string, runId: string) => {
      const prompt = open.get(messageId)
      if (prompt !== undefined) prompt.runId = runId
    },
    /** Somebody else waits for a prompt; false when it has ended. */
    join: (messageId: string, requestId: RequestId | undefined) => {
      const prompt = open.get(messageId)
      prompt?.requests.push(requestId)
      return prompt !== undefined
    },
    report,
    /** These will not be delivered. */
    drop: (items: ReadonlyArray<QueuedMessage>, sessionSettled: boolean) => {
      for (const { messageId } of items) if (open.has(messageId)) finish(messageId, dropped, sessionSettled)
    },
    /** The run is over: ends what it took, and what was handed back when it ended. */
    settle: (runId: string, result: Omit<PromptEnd, "runId">, handedBack: ReadonlyArray<QueuedMessage>) => {
      const back = new Set(handedBack.map(({ messageId }) => messageId))
      for (const [messageId, prompt] of open) {
        if (prompt.runId === runId) finish(messageId, { runId, ...result }, true)
        else if (back.has(messageId)) finish(messageId, dropped, true)
      }
    }
  }
}
