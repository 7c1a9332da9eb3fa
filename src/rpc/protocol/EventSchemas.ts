/** Schemas of the records, for the reference and the tests. EventFrames.ts and UpdateFrames.ts write the records. */
import * as Schema from "effect/Schema"
import { described, JsonObject, optional, ToolCall } from "../../domain/conversation/Content.ts"
import {
  AssistantMessage,
  RunMessage,
  ToolOutput,
  ToolResultMessage,
  UserMessage
} from "../../domain/conversation/Message.ts"
import { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import { Usage } from "../../domain/model/Usage.ts"
import { interruptModes } from "../../domain/rules/Rule.ts"
import { requestFields } from "../dialogs/DialogSchemas.ts"
import { subagentEvents } from "../subagents/SubagentSchemas.ts"
import { Available } from "../slash/Shapes.ts"
import { todoEvents } from "../todos/TodoSchemas.ts"
import { Attachment } from "./Attachments.ts"
import { Capabilities, Enforcement } from "./Capabilities.ts"
import { compactionEvents } from "./CompactionSchemas.ts"
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

/** A custom message that joins the conversation outside a run has no `runId`. */
const messageRef = { messageId: Schema.String, clientMessageId: optional(Schema.String), runId: optional(runId) }
const tool = { toolCallId: Schema.String, toolName: Schema.String }
const partial = { contentIndex: index, partial: optional(AssistantMessage) }
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
  step("toolcall_end", { toolCall: ToolCall })
).annotations({
  identifier: "AssistantMessageEvent",
  description:
    "One step of an answer that is streaming. `contentIndex` is the index of the block in `content`; `partial`, in the full form only, is the message so far."
})

const RunFailure = Schema.Struct({
  message: Schema.String,
  provider: optional(Schema.String),
  model: optional(Schema.String),
  httpStatus: optional(Schema.Int).annotations({ description: "The status that the provider answered with." }),
  code: optional(Schema.Literal("budget_exceeded", "no_price")),
  retryable: described(Schema.Boolean, "Whether the same prompt may succeed later.")
}).annotations({ identifier: "RunFailure", description: "Why a run failed." })

/** In the dialect `pi-early` a user message has the attachments of its prompt. */
const shownMessage = Schema.Union(
  RunMessage,
  Schema.Struct({ ...UserMessage.fields, attachments: Schema.Array(Attachment) })
)

const Rule = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  content: Schema.String,
  description: optional(Schema.String),
  globs: optional(Schema.Array(Schema.String)),
  condition: optional(Schema.Array(Schema.String)),
  scope: optional(Schema.Array(Schema.String)),
  interruptMode: optional(Schema.Literal(...interruptModes))
}).annotations({ identifier: "Rule", description: "A stream rule, as its file says ([rules.md](rules.md))." })

export const events: ReadonlyArray<EventSchema> = [
  event("ready", "The first frame: version, protocol and capabilities of heddle.", {
    version: Schema.String,
    protocolVersion: Schema.Int,
    supportedProtocolVersions: Schema.Array(Schema.Int),
    maxInboundFrameBytes: described(Schema.Int, "The longest line of the host."),
    maxFrameBytes: described(Schema.Int, "The longest line of heddle for a host that has agreed on chunks."),
    maxReassembledFrameBytes: described(Schema.Int, "The longest frame that comes in chunks."),
    server: Schema.Struct({ name: Schema.String, version: Schema.String }),
    protocol: Schema.Struct({
      name: Schema.String,
      version: Schema.Int,
      dialect: Schema.String,
      dialects: Schema.Array(Schema.String),
      initialize: Schema.Boolean
    }),
    capabilities: Capabilities,
    enforcement: Enforcement,
    schemaHash: Schema.String
  }),
  event(
    "startup",
    "`extensions`: they join the session, and prompts wait. `done`: all that a prompt needs is loaded.",
    {
      phase: Schema.Literal("extensions", "done"),
      ms: Schema.Finite
    }
  ),
  event("agent_start", "A run starts.", { runId }),
  event(
    "agent_end",
    "The run has ended; `messages` are all messages made in it, in order. `sessionFile` is the file that has them.",
    {
      messages: Schema.Array(RunMessage),
      messageCount: optional(Schema.Int).annotations({
        description: "Present if `messages` had to be left out for their size."
      }),
      willRetry: Schema.Boolean,
      isTerminal: Schema.Boolean,
      yielded: Schema.Boolean,
      sessionFile: optional(Schema.String),
      runId
    }
  ),
  event("turn_start", "A turn starts: the messages that it adds and the model call follow.", {
    turnIndex: index,
    timestamp: Schema.Finite,
    runId
  }),
  event("turn_end", "The assistant message and all its tool results are final; results in the order of the calls.", {
    message: AssistantMessage,
    toolResults: Schema.Array(ToolResultMessage),
    turnIndex: index,
    runId
  }),
  event(
    "message_start",
    "A message begins; an assistant message starts empty. A custom message that joins the conversation outside a run has no `runId`.",
    { message: shownMessage, ...messageRef }
  ),
  event(
    "message_update",
    "A step of the assistant message that is streaming; in delta form without `message` and `partial`, after `set_event_filter` with only the `role` of the message.",
    {
      message: optional(Schema.Union(AssistantMessage, Schema.Struct({ role: Schema.Literal("assistant") }))),
      assistantMessageEvent: AssistantMessageEvent,
      usage: Usage,
      messageId: Schema.String,
      runId
    }
  ),
  event("message_end", "The message is final and stored.", { message: shownMessage, ...messageRef }),
  event("tool_execution_start", "A tool call starts, or gets its result without being run.", {
    ...tool,
    args: JsonObject,
    runId
  }),
  event("tool_execution_update", "Progress of a tool call; `partialResult` is all output so far.", {
    ...tool,
    args: JsonObject,
    partialResult: ToolOutput,
    runId
  }),
  event(
    "tool_execution_end",
    "A tool call has its result; in the dialect `pi-early` that of a failed call is its text.",
    {
      ...tool,
      result: Schema.Union(ToolOutput, Schema.String),
      isError: Schema.Boolean,
      isWarning: optional(Schema.Boolean),
      durationMs: Schema.Finite,
      runId
    }
  ),
  event("host_tool_call", "Asks the host to run one of its tools and to send `host_tool_result`.", {
    id: Schema.String,
    ...tool,
    arguments: JsonObject
  }),
  event("host_tool_cancel", "Tells the host to stop the call `targetId`: its result is not needed any more.", {
    id: Schema.String,
    targetId: Schema.String
  }),
  event(
    "extension_ui_request",
    "A question to the user (`select`, `confirm`, `input`, `editor`: answer with `extension_ui_response`), the withdrawal of one (`cancel`), or something to show. The members depend on `method`: see [hosts/questions.md](hosts/questions.md).",
    requestFields
  ),
  event("auto_retry_start", "A failed model call is tried again after `delayMs`; `attempt` counts from 1.", {
    attempt: Schema.Int,
    maxAttempts: Schema.Int,
    delayMs: Schema.Finite,
    errorMessage: Schema.String,
    runId
  }),
  event("auto_retry_end", "Retrying has ended: with an answer, or with `finalError`.", {
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
  event(
    "ttsr_triggered",
    "Stream rules have cut the model's answer off: it ends as `aborted`, and the next turn tells the model these rules. See [rules.md](rules.md).",
    { rules: Schema.Array(Rule), runId }
  ),
  ...compactionEvents.map(({ fields, summary, type }) => event(type, summary, fields)),
  event("error", "Malformed input, or an automatic compaction that failed, in the dialect `pi-early` only.", {
    error: Schema.String
  }),
  event(
    "queue_update",
    "The queue has changed; the frame has all of it. `steering` and `followUp` are the texts of the user; `items` and `counts` include custom messages, whose `items` have `custom`. Of more than 100 messages it has `counts`, the `items` that are new or changed and the ids of those `removed`; `get_queue` has all. A message leaves the queue right before its `message_start`.",
    {
      steering: optional(Schema.Array(Schema.String)),
      followUp: optional(Schema.Array(Schema.String)),
      counts: optional(Schema.Struct({ steering: Schema.Int, followUp: Schema.Int, nextTurn: Schema.Int })),
      items: Schema.Array(QueueItem),
      removed: optional(Schema.Array(Schema.String)),
      revision: Schema.Int
    }
  ),
  ...[...todoEvents, ...subagentEvents].map(({ fields, summary, type }) => event(type, summary, fields)),
  event("prompt_result", "How an accepted prompt ended: one for each, with the id of its request.", {
    id: optional(RequestId),
    agentInvoked: Schema.Boolean,
    status: Schema.Literal("completed", "aborted", "error"),
    error: optional(RunFailure),
    sessionSettled: Schema.Boolean,
    runId: optional(runId)
  }),
  event("agent_settled", "No fiber or process of the run is left.", { aborted: Schema.Boolean, runId }),
  event("session_settled", "The session does nothing until the host sends a command.", {}),
  event("entry_appended", "An extension has stored an entry of its own.", {
    entry: Schema.Struct({
      type: Schema.Literal("custom"),
      id: Schema.String,
      parentId: Schema.NullOr(Schema.String),
      timestamp: Schema.String,
      customType: Schema.String,
      data: optional(Schema.Unknown)
    })
  }),
  event("model_changed", "The model has changed.", { model: Model }),
  event("thinking_level_changed", "The thinking level has changed; both members have the same value.", {
    level: ThinkingLevel,
    thinkingLevel: ThinkingLevel,
    thinkingLevelExact: optional(ThinkingLevel)
  }),
  event(
    "session_info_changed",
    "The name of the session, absent if it has none. Sent when the name or the session changes.",
    {
      name: optional(Schema.String)
    }
  ),
  event("session_info_update", "The same for hosts that know this name.", { title: optional(Schema.String) }),
  event("available_commands_update", "The slash commands, after the start if there are any, and when they change.", {
    commands: Schema.Array(Available)
  }),
  event(
    "extension_error",
    "A failure outside the run. When a slash command fails, `extensionPath` is `command:<name>` and `event` is `command`. When the session cannot be stored, or only in another file, `extensionPath` is `session` and `event` is `persist`; when a record could not be encoded as it is, they are `rpc` and `encode`, and the record came before it with a text in place of what could not be encoded. `location` says where code of an extension failed, as `file:line:column`.",
    {
      extensionPath: Schema.String,
      event: Schema.String,
      error: Schema.String,
      location: optional(Schema.String)
    }
  ),
  event(
    "notice",
    "A message for people. When the session cannot be stored (`error`), or only in another file (`warning`), `source` is `session-persistence`; when parts of a project that is not trusted were left out, it is `trust`; when settings were ignored, it is `settings`; when a question to the user got its default because the host cannot answer it, it is `ui`.",
    {
      level: Schema.Literal("info", "warning", "error"),
      message: Schema.String,
      source: Schema.String
    }
  ),
  event(
    "bash_execution_update",
    "Output of a `bash` command. The deltas have all of it, also the part that the result leaves out.",
    {
      id: optional(RequestId),
      delta: Schema.String
    }
  ),
  {
    type: "rpc_chunk",
    summary:
      "Part of a long frame, for hosts that have agreed on chunks: see [chunks](hosts/protocol.md#chunks). It has no `sessionId`, `epoch` and `seq`; the frame has.",
    schema: Schema.Struct({
      type: Schema.Literal("rpc_chunk"),
      chunkId: Schema.String,
      index,
      count: Schema.Int,
      byteLength: described(Schema.Int, "The bytes of the whole frame."),
      data: described(Schema.String, "Base64.")
    })
  },
  event("rpc_frame_error", "In place of a frame of more than 64 MiB, which cannot come in chunks.", {
    originalType: optional(Schema.String),
    error: Schema.String
  })
]
