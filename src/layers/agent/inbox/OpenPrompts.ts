/**
 * Accepted prompts that have not ended, in the order of their acceptance. Each ends with exactly one report. As long as
 * somebody waits for one, the session has not settled (protocol.md 6).
 */
import * as Effect from "effect/Effect"
import type { AgentEvent, PromptEnd, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { QueuedMessage } from "../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../domain/Values.ts"

interface OpenPrompt {
  /** The requests that get the report: the one that sent the prompt, and those that sent it again. */
  readonly requests: Array<RequestId | undefined>
  /** The run that has taken it; until then it waits in the queue. */
  runId: string | undefined
}

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly ended: (messageId: string, end: PromptEnd) => void
  /** No run is going on. */
  readonly isIdle: () => boolean
}

/** Who sent a prompt. */
interface Sender {
  readonly requestId?: RequestId
  readonly source?: "host" | "extension"
}

interface Ended {
  readonly messageId: string
  readonly end: PromptEnd
}

/** The end of a prompt that left the queue undelivered. */
const dropped: PromptEnd = { status: "aborted" }

export type OpenPrompts = ReturnType<typeof make>

export const make = ({ ended, isIdle, publish }: Dependencies) => {
  const open = new Map<string, OpenPrompt>()

  /** Nobody waits for a prompt that was queued before the process started, so it holds up nothing until it is sent again. */
  const isAwaited = (messageId: string) => (open.get(messageId)?.requests.length ?? 0) > 0

  const isSettled = () => isIdle() && ![...open.keys()].some(isAwaited)

  const report = (requestId: RequestId | undefined, end: PromptEnd) =>
    publish({ _tag: "PromptFinished", ...defined({ requestId }), ...end, sessionSettled: isSettled() })

  /** All of them end at once, so that each report says how the session is after the last. */
  const finish = (all: ReadonlyArray<Ended>) => {
    const waiting = all.map(({ end, messageId }) => ({ end, requests: open.get(messageId)?.requests ?? [] }))
    for (const { end, messageId } of all) {
      open.delete(messageId)
      ended(messageId, end)
    }
    for (const { end, requests } of waiting) for (const requestId of requests) report(requestId, end)
  }

  return {
    /** Nobody waits for a message of an extension. */
    accept: (messageId: string, { requestId, source }: Sender, runId?: string) =>
      void open.set(messageId, { requests: source === "extension" ? [] : [requestId], runId }),
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
    /** Forgets a prompt whose sender was told that it has ended, or has given it up. */
    withdraw: (messageId: string) => Effect.sync(() => void open.delete(messageId)),
    report,
    isSettled,
    /** A message from before the process: it may be a prompt, but nobody waits for its report until it is sent again. */
    restore: (messageId: string) => void open.set(messageId, { requests: [], runId: undefined }),
    /** Ends the prompts among messages that left the queue undelivered. The session settles with the last one awaited. */
    drop: (items: ReadonlyArray<QueuedMessage>) => {
      const wasSettled = isSettled()
      finish(items.flatMap(({ messageId }) => (open.has(messageId) ? [{ messageId, end: dropped }] : [])))
      if (!wasSettled && isSettled()) publish({ _tag: "SessionSettled" })
    },
    /** Ends a prompt that had no run. The session settles with the last one awaited. */
    end: (messageId: string, end: PromptEnd) => {
      finish([{ messageId, end }])
      if (isSettled()) publish({ _tag: "SessionSettled" })
    },
    /** Those among the messages for which somebody waits. */
    awaited: (items: ReadonlyArray<QueuedMessage>) => items.filter(({ messageId }) => isAwaited(messageId)),
    /** Ends the prompts that the run has taken, and those handed back at its end. */
    settle: (runId: string, result: Omit<PromptEnd, "runId">, handedBack: ReadonlyArray<QueuedMessage>) => {
      const back = new Set(handedBack.map(({ messageId }) => messageId))
      const over: Array<Ended> = []
      for (const [messageId, prompt] of open) {
        if (prompt.runId === runId) over.push({ messageId, end: { runId, ...result } })
        else if (back.has(messageId)) over.push({ messageId, end: dropped })
      }
      finish(over)
    }
  }
}
