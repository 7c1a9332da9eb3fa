/** Session events as the host sees them (protocol.md 4.1, supplement 2.1). */
import type { AgentEvent, MessageRef, ToolRef } from "../../domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../domain/conversation/AssistantDraft.ts"
import * as MessageQueue from "../../domain/conversation/MessageQueue.ts"
import * as CompactionFrames from "./CompactionFrames.ts"
import { queueItems } from "./QueueItem.ts"

/** Everything but streaming updates, which UpdateFrames.ts writes, and what has another number of frames than one. */
export type ControlEvent = Exclude<
  AgentEvent,
  { readonly _tag: "MessageUpdated" } | { readonly _tag: "SessionChanged" } | { readonly _tag: "SessionNamed" }
>

/** Under the names of two families. The session's id is on every record. */
export const nameFrames = (name: string | undefined): ReadonlyArray<object> => [
  { type: "session_info_changed", ...(name === undefined ? {} : { name }) },
  { type: "session_info_update", ...(name === undefined ? {} : { title: name }) }
]

const toolRef = ({ args, toolCallId, toolName }: ToolRef) => ({ toolCallId, toolName, args })

const messageRef = ({ clientMessageId, messageId, runId }: MessageRef) =>
  clientMessageId === undefined ? { messageId, runId } : { messageId, clientMessageId, runId }

/** The end markers that some client waits for (supplement 4.2): one run, nothing to retry, nothing in background. */
const terminal = { willRetry: false, isTerminal: true, yielded: true } as const

/** As a rule one frame for each event. */
export const toFrames = (event: ControlEvent): ReadonlyArray<object> =>
  event._tag === "CompactionStarted" || event._tag === "CompactionEnded"
    ? CompactionFrames.toFrames(event)
    : [toFrame(event)]

const toFrame = (event: Exclude<ControlEvent, CompactionFrames.CompactionEvent>): object => {
  switch (event._tag) {
    case "RunStarted":
      return { type: "agent_start", runId: event.runId }
    case "RunEnded":
      return { type: "agent_end", messages: event.messages, ...terminal, runId: event.runId }
    case "TurnStarted":
      return { type: "turn_start", turnIndex: event.turnIndex, timestamp: event.timestamp, runId: event.runId }
    case "TurnEnded": {
      const { message, runId, toolResults, turnIndex } = event
      return { type: "turn_end", message, toolResults, turnIndex, runId }
    }
    case "MessageStarted":
      return { type: "message_start", message: event.message, ...messageRef(event) }
    case "MessageEnded":
      return { type: "message_end", message: event.message, ...messageRef(event) }
    case "ToolStarted":
      return { type: "tool_execution_start", ...toolRef(event), runId: event.runId }
    case "ToolUpdated":
      return {
        type: "tool_execution_update",
        ...toolRef(event),
        partialResult: event.partialResult,
        runId: event.runId
      }
    case "ToolEnded": {
      const { durationMs, isError, result, runId, toolCallId, toolName } = event
      return { type: "tool_execution_end", toolCallId, toolName, result, isError, durationMs, runId }
    }
    case "RetryScheduled": {
      const { attempt, delayMs, errorMessage, maxAttempts, runId } = event
      return { type: "auto_retry_start", attempt, maxAttempts, delayMs, errorMessage, runId }
    }
    case "RetryEnded": {
      const { attempt, finalError, runId, success } = event
      return { type: "auto_retry_end", success, attempt, ...(finalError === undefined ? {} : { finalError }), runId }
    }
    case "FallbackApplied":
      return { type: "retry_fallback_applied", from: event.from, to: event.to, role: event.role, runId: event.runId }
    case "FallbackSucceeded":
      return { type: "retry_fallback_succeeded", model: event.model, role: event.role, runId: event.runId }
    case "SummaryRetryScheduled": {
      const { attempt, delayMs, errorMessage, maxAttempts } = event
      return { type: "summarization_retry_scheduled", attempt, maxAttempts, delayMs, errorMessage }
    }
    case "SummaryRetryStarted":
      return { type: "summarization_retry_attempt_start", source: event.source, reason: event.reason }
    case "SummaryRetryFinished":
      return { type: "summarization_retry_finished" }
    case "PromptFinished":
      return {
        type: "prompt_result",
        ...(event.requestId === undefined ? {} : { id: event.requestId }),
        agentInvoked: event.runId !== undefined,
        status: event.status,
        ...(event.error === undefined ? {} : { error: event.error }),
        sessionSettled: event.sessionSettled,
        ...(event.runId === undefined ? {} : { runId: event.runId })
      }
    case "RunSettled":
      return { type: "agent_settled", aborted: event.aborted, runId: event.runId }
    case "SessionSettled":
      return { type: "session_settled" }
    case "QueueChanged":
      return {
        type: "queue_update",
        ...MessageQueue.texts(event.queue),
        items: queueItems(event.queue),
        revision: event.queue.revision
      }
    case "ModelChanged":
      return { type: "model_changed", model: event.model }
    case "ThinkingLevelChanged":
      return { type: "thinking_level_changed", level: event.level, thinkingLevel: event.level }
    case "PersistFailed":
      return { type: "extension_error", extensionPath: "session", event: "persist", error: event.error }
    case "Notice":
      return { type: "notice", level: event.level, message: event.message, source: event.source }
  }
}

const prefixes = { text: "text", thinking: "thinking", toolCall: "toolcall" } as const

/** The `type` of an assistantMessageEvent: `text_delta`, `toolcall_end`, … */
export const updateType = ({ kind, step }: AssistantDraft.Update): string => `${prefixes[kind]}_${step}`

/** What a step of the stream adds to its assistantMessageEvent beside type and index; deltas are written apart. */
export const updateMembers = (draft: AssistantDraft.AssistantDraft, update: AssistantDraft.Update): object => {
  const block = draft.blocks[update.contentIndex]
  if (block === undefined || update.step === "delta") return {}
  if (update.step === "start") return block.type === "toolCall" ? { id: block.id, toolName: block.name } : {}
  return block.type === "toolCall" ? { toolCall: AssistantDraft.toContent(block) } : { content: block.text }
}
