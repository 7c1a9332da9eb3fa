/** Session events as the host sees them (protocol.md 4.1, supplement 2.1). */
import type { AgentEvent, MessageRef, ToolRef } from "../../domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../domain/conversation/AssistantDraft.ts"
import { toJson } from "../../domain/session/SessionEntry.ts"
import * as SubagentFrames from "../subagents/SubagentFrames.ts"
import type { Level } from "../subagents/Level.ts"
import { available } from "../slash/Shapes.ts"
import * as CompactionFrames from "./CompactionFrames.ts"
import { hookNames } from "./HookNames.ts"
import { queueUpdate } from "./QueueFrames.ts"

/** All events but streaming updates, which UpdateFrames.ts writes, and those that the writer handles itself. */
export type ControlEvent = Exclude<
  AgentEvent,
  { readonly _tag: "MessageUpdated" | "SessionChanged" | "SessionNamed" | "SubagentSaid" }
>

/** A new name is told in the frames of two families of hosts. The session's id is on every record. */
export const nameFrames = (name: string | undefined): ReadonlyArray<object> => [
  { type: "session_info_changed", ...(name === undefined ? {} : { name }) },
  { type: "session_info_update", ...(name === undefined ? {} : { title: name }) }
]

const toolRef = ({ args, toolCallId, toolName }: ToolRef) => ({ toolCallId, toolName, args })

const messageRef = ({ clientMessageId, messageId, runId }: MessageRef) => {
  if (runId === undefined) return { messageId }
  return clientMessageId === undefined ? { messageId, runId } : { messageId, clientMessageId, runId }
}

/** Messages of extensions that were not taken are told as the failure of a command that nobody sent (protocol.md 11.4). */
const failedSends: ReadonlySet<string> = new Set(["extension_send", "extension_send_user"])

/** The end markers that hosts of some families wait for (supplement 4.2): nothing is retried or left in background. */
const terminal = { willRetry: false, isTerminal: true, yielded: true } as const

type OneFrameEvent = Exclude<ControlEvent, CompactionFrames.CompactionEvent | SubagentFrames.LifeEvent>
type Tag = OneFrameEvent["_tag"]
type EventOf = { readonly [Event in OneFrameEvent as Event["_tag"]]: Event }

/** What frames say of the session beside its events. */
interface Place {
  readonly sessionFile?: string | undefined
  readonly subagents?: Level
}

const frames: { readonly [T in Tag]: (event: EventOf[T], place: Place) => object } = {
  RunStarted: ({ runId }) => ({ type: "agent_start", runId }),
  RunEnded: ({ messages, runId }, { sessionFile }) => ({
    type: "agent_end",
    messages,
    ...terminal,
    ...(sessionFile === undefined ? {} : { sessionFile }),
    runId
  }),
  RunSettled: ({ aborted, runId }) => ({ type: "agent_settled", aborted, runId }),
  TurnStarted: ({ runId, timestamp, turnIndex }) => ({ type: "turn_start", turnIndex, timestamp, runId }),
  TurnEnded: ({ message, runId, toolResults, turnIndex }) => ({
    type: "turn_end",
    message,
    toolResults,
    turnIndex,
    runId
  }),
  MessageStarted: (event) => ({ type: "message_start", message: event.message, ...messageRef(event) }),
  MessageEnded: (event) => ({ type: "message_end", message: event.message, ...messageRef(event) }),
  ToolStarted: (event) => ({ type: "tool_execution_start", ...toolRef(event), runId: event.runId }),
  ToolUpdated: (event) => ({
    type: "tool_execution_update",
    ...toolRef(event),
    partialResult: event.partialResult,
    runId: event.runId
  }),
  ToolEnded: ({ durationMs, isError, result, runId, toolCallId, toolName }) => ({
    type: "tool_execution_end",
    toolCallId,
    toolName,
    result,
    isError,
    ...(result.isWarning === true ? { isWarning: true } : {}),
    durationMs,
    runId
  }),
  RetryScheduled: ({ attempt, delayMs, errorMessage, maxAttempts, runId }) => ({
    type: "auto_retry_start",
    attempt,
    maxAttempts,
    delayMs,
    errorMessage,
    runId
  }),
  RetryEnded: ({ attempt, finalError, runId, success }) => ({
    type: "auto_retry_end",
    success,
    attempt,
    ...(finalError === undefined ? {} : { finalError }),
    runId
  }),
  FallbackApplied: ({ from, role, runId, to }) => ({ type: "retry_fallback_applied", from, to, role, runId }),
  FallbackSucceeded: ({ model, role, runId }) => ({ type: "retry_fallback_succeeded", model, role, runId }),
  RulesTriggered: ({ rules, runId }) => ({ type: "ttsr_triggered", rules, runId }),
  SummaryRetryScheduled: ({ attempt, delayMs, errorMessage, maxAttempts }) => ({
    type: "summarization_retry_scheduled",
    attempt,
    maxAttempts,
    delayMs,
    errorMessage
  }),
  SummaryRetryStarted: ({ reason, source }) => ({ type: "summarization_retry_attempt_start", source, reason }),
  SummaryRetryFinished: () => ({ type: "summarization_retry_finished" }),
  TodoReminder: ({ attempt, maxAttempts, runId, todos }) => ({
    type: "todo_reminder",
    todos,
    attempt,
    maxAttempts,
    runId
  }),
  BudgetWarning: SubagentFrames.budgetFrame,
  BudgetSpent: SubagentFrames.budgetFrame,
  TodosCleared: () => ({ type: "todo_auto_clear" }),
  PromptFinished: ({ error, requestId, runId, sessionSettled, status }) => ({
    type: "prompt_result",
    ...(requestId === undefined ? {} : { id: requestId }),
    agentInvoked: runId !== undefined,
    status,
    ...(error === undefined ? {} : { error }),
    sessionSettled,
    ...(runId === undefined ? {} : { runId })
  }),
  SessionSettled: () => ({ type: "session_settled" }),
  QueueChanged: ({ changed, queue }) => ({ type: "queue_update", ...queueUpdate(queue, changed) }),
  EntryAppended: ({ entry }) => ({ type: "entry_appended", entry: toJson(entry) }),
  ModelChanged: ({ model }) => ({ type: "model_changed", model }),
  ThinkingLevelChanged: ({ level }) => ({ type: "thinking_level_changed", level, thinkingLevel: level }),
  PersistFailed: ({ error }) => ({ type: "extension_error", extensionPath: "session", event: "persist", error }),
  ExtensionFailed: ({ error, event, extensionPath, location }) =>
    failedSends.has(event)
      ? { type: "response", command: event, success: false, error, code: "not_sent", extensionPath }
      : {
          type: "extension_error",
          extensionPath,
          event: hookNames.get(event) ?? event,
          error,
          ...(location === undefined ? {} : { location })
        },
  CommandsChanged: ({ commands }) => ({ type: "available_commands_update", commands: commands.map(available) }),
  Notice: ({ level, message, source }) => ({ type: "notice", level, message, source })
}

const toFrame = <T extends Tag>(
  event: { readonly [K in T]: EventOf[K] & { readonly _tag: K } }[T],
  place: Place
): object => frames[event._tag](event, place)

/** How a connection tells an event. */
export type ToFrames = (event: ControlEvent) => ReadonlyArray<object>

/** One frame for each event, but two for an automatic compaction, and up to two for a step of a subagent. */
export const toFrames = (event: ControlEvent, place: Place): ReadonlyArray<object> => {
  switch (event._tag) {
    case "CompactionStarted":
    case "CompactionEnded":
      return CompactionFrames.toFrames(event)
    case "SubagentStarted":
    case "SubagentEnded":
    case "SubagentProgressed":
    case "VerificationStarted":
    case "VerificationCommandStarted":
    case "VerificationCommandEnded":
    case "VerificationEnded":
      return SubagentFrames.toFrames(event, place.subagents ?? "off")
    default:
      return [toFrame(event, place)]
  }
}

const prefixes = { text: "text", thinking: "thinking", toolCall: "toolcall" } as const

/** The `type` of an assistantMessageEvent: `text_delta`, `toolcall_end`, … */
export const updateType = ({ kind, step }: AssistantDraft.Update): string => `${prefixes[kind]}_${step}`

/** The members of an assistantMessageEvent beside type and index, where a block starts or ends. */
export const updateMembers = ({ blocks }: AssistantDraft.AssistantDraft, { step }: AssistantDraft.Update): object => {
  const block = blocks?.last
  if (block?.type === "toolCall") {
    return step === "start" ? { id: block.id, toolName: block.name } : { toolCall: AssistantDraft.toContent(block) }
  }
  return step === "start" ? {} : { content: block?.text }
}
