/** Schemas of the outbound records, for the reference and the tests; EventFrames.ts and UpdateFrames.ts write them. */
import * as Schema from "effect/Schema"
import { CompactionReason, CompactionResult } from "../../domain/compaction/CompactionResult.ts"
import { JsonObject, optional, ToolCall } from "../../domain/conversation/Content.ts"
import { AssistantMessage, Message, ToolOutput, ToolResultMessage } from "../../domain/conversation/Message.ts"
import { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import { Usage } from "../../domain/model/Usage.ts"
import { Capabilities, Enforcement } from "./Capabilities.ts"
import { RequestId } from "./Frame.ts"
import { QueueItem } from "./QueueFrames.ts"

const runId = Schema.String
const index = Schema.Int.pipe(Schema.nonNegative())

/** On every record of a session. */
const envelope = { sessionId: Schema.String, epoch: Schema.String, seq: Schema.Int }

interface EventSchema {
  readonly type: string
  readonly summary: string
  readonly schema: Schema.Schema.AnyNoContext
}

const event = <Fields extends Schema.Struct.Fields>(type: string, summary: string, fields: Fields) => ({
  type,
  summary,
  schema: Schema.Struct({ type: Schema.Literal(type), ...fields, ...envelope })
})

const messageRef = { messageId: Schema.String, clientMessageId: optional(Schema.String), runId }
const tool = { toolCallId: Schema.String, toolName: Schema.String }
const partial = { contentIndex: index, partial: optional(AssistantMessage()) }
const step = <Name extends string, Fields extends Schema.Struct.Fields>(type: Name, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...partial, ...fields })

export const AssistantMessageEvent = Schema.Union(
  step("text_start", {}),
  step("text_delta", { delta: Schema.String }),
  step("text_end", { content: Schema.String }),
  step("thinking_start", {}),
  step("thinking_delta", { delta: Schema.String }),
  step("thinking_end", { content: Schema.String }),
  step("toolcall_start", { id: Schema.String, toolName: Schema.String }),
  step("toolcall_delta", { delta: Schema.String }),
  step("toolcall_end", { toolCall: ToolCall() })
).annotations({ identifier: "AssistantMessageEvent" })

const RunFailure = Schema.Struct({
  message: Schema.String,
  provider: optional(Schema.String),
  model: optional(Schema.String),
  httpStatus: optional(Schema.Int),
  retryable: Schema.Boolean
}).annotations({ identifier: "RunFailure" })

const compaction = { compactionId: Schema.String, runId: optional(runId) }
const compactionEnd = {
  result: optional(CompactionResult()),
  aborted: Schema.Boolean,
  willRetry: Schema.Boolean,
  errorMessage: optional(Schema.String),
  skipped: optional(Schema.Boolean),
  ...compaction
}
const action = Schema.Literal("context-full", "handoff")

export const events: ReadonlyArray<EventSchema> = [
  event("ready", "The first frame: who we are and what we can do.", {
    version: Schema.String,
    protocolVersion: Schema.Int,
    supportedProtocolVersions: Schema.Array(Schema.Int),
    maxFrameBytes: Schema.Int,
    maxReassembledFrameBytes: Schema.Int,
    server: Schema.Struct({ name: Schema.String, version: Schema.String }),
    protocol: Schema.Struct({
      name: Schema.String,
      version: Schema.Int,
      dialect: Schema.String,
      dialects: Schema.Array(Schema.String),
      initialize: Schema.Boolean
    }),
    capabilities: Capabilities(),
    enforcement: Enforcement(),
    schemaHash: Schema.String
  }),
  event("startup", "Start-up is over: nothing that a prompt needs is still loading.", {
    phase: Schema.Literal("done"),
    ms: Schema.Finite
  }),
  event("agent_start", "A run begins.", { runId }),
  event("agent_end", "The run is over; `messages` are all messages made in it, in order.", {
    messages: Schema.Array(Message()),
    willRetry: Schema.Boolean,
    isTerminal: Schema.Boolean,
    yielded: Schema.Boolean,
    runId
  }),
  event("turn_start", "Before each model call and the messages that go into it.", {
    turnIndex: index,
    timestamp: Schema.Finite,
    runId
  }),
  event("turn_end", "The assistant message and all its tool results are final; results in the order of the calls.", {
    message: AssistantMessage(),
    toolResults: Schema.Array(ToolResultMessage()),
    turnIndex: index,
    runId
  }),
  event("message_start", "A message begins; an assistant message starts empty.", {
    message: Message(),
    ...messageRef
  }),
  event(
    "message_update",
    "A step of the assistant message that streams; in delta form without `message` and `partial`.",
    {
      message: optional(AssistantMessage()),
      assistantMessageEvent: AssistantMessageEvent,
      usage: Usage(),
      messageId: Schema.String,
      runId
    }
  ),
  event("message_end", "The message is final and stored.", { message: Message(), ...messageRef }),
  event("tool_execution_start", "A tool call starts, or is about to be answered without running.", {
    ...tool,
    args: JsonObject(),
    runId
  }),
  event("tool_execution_update", "Progress; `partialResult` is everything so far.", {
    ...tool,
    args: JsonObject(),
    partialResult: ToolOutput(),
    runId
  }),
  event("tool_execution_end", "The result is known.", {
    ...tool,
    result: ToolOutput(),
    isError: Schema.Boolean,
    durationMs: Schema.Finite,
    runId
  }),
  event("host_tool_call", "The host is to run one of its tools and to answer with `host_tool_result`.", {
    id: Schema.String,
    ...tool,
    arguments: JsonObject()
  }),
  event("host_tool_cancel", "The result of the call `targetId` is not wanted any more.", {
    id: Schema.String,
    targetId: Schema.String
  }),
  event("auto_retry_start", "A failed model call is tried again after `delayMs`; `attempt` counts from 1.", {
    attempt: Schema.Int,
    maxAttempts: Schema.Int,
    delayMs: Schema.Finite,
    errorMessage: Schema.String,
    runId
  }),
  event("auto_retry_end", "The chain of retries ended: an answer came, or `finalError` stands.", {
    success: Schema.Boolean,
    attempt: Schema.Int,
    finalError: optional(Schema.String),
    runId
  }),
  event("retry_fallback_applied", "Another model of `retry.fallbackChains` takes over from one that failed.", {
    from: Schema.String,
    to: Schema.String,
    role: Schema.String,
    runId
  }),
  event("retry_fallback_succeeded", "The model that took over has answered.", {
    model: Schema.String,
    role: Schema.String,
    runId
  }),
  event("auto_compaction_start", "The older part of the conversation is about to be replaced by a summary.", {
    reason: Schema.Literal("threshold", "overflow", "idle"),
    action,
    ...compaction
  }),
  event("compaction_start", "The same under its other name, and the only one for the command `compact`.", {
    reason: CompactionReason(),
    ...compaction
  }),
  event("compaction_end", "The conversation was compacted if there is a `result`.", {
    reason: CompactionReason(),
    ...compactionEnd
  }),
  event("auto_compaction_end", "The same under its other name; not sent for the command `compact`.", {
    action,
    ...compactionEnd
  }),
  event("summarization_retry_scheduled", "The call for a summary failed and is made again after `delayMs`.", {
    attempt: Schema.Int,
    maxAttempts: Schema.Int,
    delayMs: Schema.Finite,
    errorMessage: Schema.String
  }),
  event("summarization_retry_attempt_start", "The wait is over: the call for a summary is made again.", {
    source: Schema.Literal("compaction", "branchSummary"),
    reason: optional(CompactionReason())
  }),
  event("summarization_retry_finished", "The summary is there, or it is given up.", {}),
  event(
    "queue_update",
    "The queue has changed; complete queues. A message leaves it right before its `message_start`.",
    {
      steering: Schema.Array(Schema.String),
      followUp: Schema.Array(Schema.String),
      items: Schema.Array(QueueItem()),
      revision: Schema.Int
    }
  ),
  event("prompt_result", "How an accepted prompt ended: one for each, with the id of its request.", {
    id: optional(RequestId),
    agentInvoked: Schema.Boolean,
    status: Schema.Literal("completed", "aborted", "error"),
    error: optional(RunFailure),
    sessionSettled: Schema.Boolean,
    runId: optional(runId)
  }),
  event("agent_settled", "Nothing of the run is left.", { aborted: Schema.Boolean, runId }),
  event("session_settled", "Nothing can wake the session but the host.", {}),
  event("model_changed", "Another model is in force.", { model: Model() }),
  event("thinking_level_changed", "Another thinking level is in force; both members say the same.", {
    level: ThinkingLevel,
    thinkingLevel: ThinkingLevel
  }),
  event("session_info_changed", "The session has this name, or none; also the first record of another session.", {
    name: optional(Schema.String)
  }),
  event("session_info_update", "The same under the names of another family.", { title: optional(Schema.String) }),
  event("extension_error", "Something beside the run failed: storing the session is `session` and `persist`.", {
    extensionPath: Schema.String,
    event: Schema.String,
    error: Schema.String
  }),
  event("notice", "Something that people should know; a failure to store has the source `session-persistence`.", {
    level: Schema.Literal("info", "warning", "error"),
    message: Schema.String,
    source: Schema.String
  }),
  event("bash_execution_update", "Output of a `bash` command, all of it, also what its result leaves out.", {
    id: optional(RequestId),
    delta: Schema.String
  })
]
