/**
 * Schemas of the records, for the reference and the tests: those of EventTable.ts, and those of frames with other members, which
 * EventFrames.ts and UpdateFrames.ts write.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { described, JsonObject, optional, ToolCall } from "../../../domain/conversation/Content.ts"
import * as EventTable from "../../../domain/conversation/EventTable.ts"
import { AssistantMessage, RunMessage, ToolOutput, UserMessage } from "../../../domain/conversation/Message.ts"
import { RequestId } from "../../../domain/conversation/MessageQueue.ts"
import { ThinkingLevel } from "../../../domain/model/Model.ts"
import { Usage } from "../../../domain/model/Usage.ts"
import { AgentSource, SubagentProgress } from "../../../domain/subagents/Subagent.ts"
import { requestFields } from "../../dialogs/DialogSchemas.ts"
import { FileChange } from "../../dialect/TurnDiffs.ts"
import { Available } from "../../slash/Shapes.ts"
import { Attachment } from "../Attachments.ts"
import { Capabilities, Enforcement } from "../Capabilities.ts"
import { QueueItem } from "./QueueFrames.ts"

type Fields = Schema.Struct.Fields
type Tag = keyof typeof EventTable.events

/** On every record of a session. */
const envelope = { sessionId: Schema.String, epoch: Schema.String, seq: Schema.Int }

interface EventSchema {
  readonly type: string
  readonly summary: string
  readonly schema: Schema.Schema.AnyNoContext
}

const event = (type: string, summary: string, fields: Fields): EventSchema => ({
  type,
  summary,
  schema: Schema.Struct({ type: Schema.Literal(type), ...fields, ...envelope })
})

const id = Schema.String
const index = Schema.Int.pipe(Schema.nonNegative())
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

/** In the dialect `pi-early` a user message has the attachments of its prompt. */
const shownMessage = Schema.Union(
  RunMessage,
  Schema.Struct({ ...UserMessage.fields, attachments: Schema.Array(Attachment) })
)

const tool = { toolCallId: Schema.String, toolName: Schema.String }
const table = EventTable.events
const { error, runId, sessionSettled, status } = table.PromptFinished.fields
const compaction = { compactionId: Schema.String, runId }
const subagent = { id, agent: Schema.String }
const subagentRef = {
  index: Schema.Int,
  agent: Schema.String,
  agentSource: AgentSource,
  sessionFile: optional(Schema.String),
  parentToolCallId: optional(Schema.String)
}

/** The members of frames that differ from those of their event, at least in a dialect. */
const differing: { readonly [T in Tag]?: Fields } = {
  RunEnded: {
    messages: Schema.Array(RunMessage),
    messageCount: optional(Schema.Int, "Present if `messages` had to be left out for their size."),
    willRetry: Schema.Boolean,
    isTerminal: Schema.Boolean,
    yielded: Schema.Boolean,
    sessionFile: optional(Schema.String),
    runId: Schema.String
  },
  MessageStarted: { ...table.MessageStarted.fields, message: shownMessage },
  MessageUpdated: {
    message: optional(Schema.Union(AssistantMessage, Schema.Struct({ role: Schema.Literal("assistant") }))),
    assistantMessageEvent: AssistantMessageEvent,
    usage: Usage,
    ...table.MessageUpdated.fields
  },
  MessageEnded: { ...table.MessageEnded.fields, message: shownMessage },
  ToolEnded: {
    ...tool,
    result: Schema.Union(ToolOutput, Schema.String),
    isError: Schema.Boolean,
    isWarning: optional(Schema.Boolean),
    durationMs: Schema.Finite,
    runId: Schema.String
  },
  CompactionStarted: { ...table.CompactionStarted.fields, reason: Schema.Literal("threshold", "overflow", "idle") },
  CompactionEnded: Struct.omit(table.CompactionEnded.fields, "reason"),
  QueueChanged: {
    steering: optional(Schema.Array(Schema.String)),
    followUp: optional(Schema.Array(Schema.String)),
    counts: optional(Schema.Struct({ steering: Schema.Int, followUp: Schema.Int, nextTurn: Schema.Int })),
    items: Schema.Array(QueueItem),
    removed: optional(Schema.Array(Schema.String)),
    revision: Schema.Int
  },
  SubagentStarted: { ...subagent, isolated: Schema.Boolean },
  SubagentEnded: { ...subagent, ...Struct.omit(table.SubagentEnded.fields, "subagent") },
  SubagentProgressed: {
    payload: Schema.Struct({
      ...subagentRef,
      task: Schema.String,
      assignment: optional(Schema.String),
      progress: SubagentProgress
    })
  },
  SubagentSaid: { payload: Schema.Struct({ id, event: JsonObject }) },
  PromptFinished: { id: optional(RequestId), agentInvoked: Schema.Boolean, status, error, sessionSettled, runId },
  EntryAppended: {
    entry: Schema.Struct({
      type: Schema.Literal("custom"),
      id,
      parentId: Schema.NullOr(Schema.String),
      timestamp: Schema.String,
      customType: Schema.String,
      data: optional(Schema.Unknown)
    })
  },
  ThinkingLevelChanged: {
    level: ThinkingLevel,
    thinkingLevel: ThinkingLevel,
    thinkingLevelExact: optional(ThinkingLevel)
  },
  CommandsChanged: { commands: Schema.Array(Available) }
}

/** Frames that are not the first of an event, and those that are of none, by the event behind which the reference has them. */
const behind: { readonly [T in Tag]?: ReadonlyArray<EventSchema> } = {
  TurnStarted: [
    event(
      "turn_diff",
      "The files that `edit` and `write` have changed in the turn, right before its `turn_end`; for hosts that have asked for it with `initialize`. See [turn diffs](hosts/runs.md#files-that-a-turn-has-changed).",
      { turnId: Schema.String, files: Schema.Array(FileChange), turnIndex: index, runId: Schema.String }
    )
  ],
  ToolEnded: [
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
    )
  ],
  CompactionStarted: [
    event(
      "compaction_start",
      "The same for hosts that know this name; the only start frame of the command `compact`.",
      Struct.omit(table.CompactionStarted.fields, "action")
    ),
    event(
      "compaction_end",
      "The compaction has ended. With a `result` it has replaced part of the conversation.",
      Struct.omit(table.CompactionEnded.fields, "action")
    )
  ],
  CompactionEnded: [
    event("compaction", "In place of the four in the dialect `pi-early`, when a compaction has succeeded.", {
      summary: Schema.String,
      tokensBefore: Schema.Finite,
      auto: optional(Schema.Boolean),
      ...compaction
    })
  ],
  SummaryRetryFinished: [
    event("error", "Malformed input, or an automatic compaction that failed, in the dialect `pi-early` only.", {
      error: Schema.String
    })
  ],
  SubagentEnded: [
    event(
      "subagent_lifecycle",
      "The same two moments for hosts of the omp family; after `set_subagent_subscription`.",
      {
        payload: Schema.Struct({
          id,
          ...subagentRef,
          description: optional(Schema.String),
          status: Schema.Literal("started", "completed", "failed", "aborted")
        })
      }
    )
  ],
  SessionNamed: [
    event("session_info_update", "The same for hosts that know this name.", { title: optional(Schema.String) })
  ]
}

const ofSession = Struct.keys(table).flatMap((tag) => {
  const { fields, summary, type } = table[tag]
  return [event(type, summary, differing[tag] ?? fields), ...(behind[tag] ?? [])]
})

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
  ...ofSession,
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
