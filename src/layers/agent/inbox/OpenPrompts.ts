/** Accepted prompts that have not ended, in the order of their acceptance. Each ends with exactly one report. */
import type { AgentEvent, PromptEnd, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"

interface OpenPrompt {
  /** The requests that get the report: the one that sent the prompt, and those that sent it again. */
  readonly requests: Array<RequestId | undefined>
  /** The run that has taken it; until then it waits in the queue. */
  runId: string | undefined
}

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly ended: (messageId: string, end: PromptEnd) => void
}

/** The end of a prompt that left the queue undelivered. */
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
    /** Adds a request that waits for the prompt. False when the prompt has ended. */
    join: (messageId: string, requestId: RequestId | undefined) => {
      const prompt = open.get(messageId)
      prompt?.requests.push(requestId)
      return prompt !== undefined
    },
    report,
    /** A message from before the process: it may be a prompt, but nobody waits for its report until it is sent again. */
    restore: (messageId: string) => void open.set(messageId, { requests: [], runId: undefined }),
    /** Ends the prompts among messages that left the queue undelivered. */
    drop: (items: ReadonlyArray<QueuedMessage>, sessionSettled: boolean) => {
      for (const { messageId } of items) if (open.has(messageId)) finish(messageId, dropped, sessionSettled)
    },
    /** Those among the messages for which somebody waits. */
    awaited: (items: ReadonlyArray<QueuedMessage>) =>
      items.filter(({ messageId }) => (open.get(messageId)?.requests.length ?? 0) > 0),
    /** Ends the prompts that the run has taken, and those handed back at its end. */
    settle: (runId: string, result: Omit<PromptEnd, "runId">, handedBack: ReadonlyArray<QueuedMessage>) => {
      const back = new Set(handedBack.map(({ messageId }) => messageId))
      for (const [messageId, prompt] of open) {
        if (prompt.runId === runId) finish(messageId, { runId, ...result }, true)
        else if (back.has(messageId)) finish(messageId, dropped, true)
      }
    }
  }
}
