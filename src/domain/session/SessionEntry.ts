/**
 * The header and the entries of a session (protocol.md 9.3). Each entry is the child of an earlier one, and none ever
 * changes. The path from a root to the leaf is the active branch.
 */
import * as Schema from "effect/Schema"
import { InputContent, JsonObject, optional } from "../conversation/Content.ts"
import { AgentMessage } from "../conversation/Message.ts"
import { ThinkingLevel } from "../model/Model.ts"
import { Usage, Work } from "../model/Usage.ts"
import * as Text from "../Text.ts"
import { TodoPhase } from "../todo/Todo.ts"

export const sessionVersion = 3

export const SessionHeader = Schema.Struct({
  type: Schema.Literal("session"),
  version: Schema.Literal(sessionVersion),
  id: Schema.String,
  /** ISO 8601, as in every entry. */
  timestamp: Schema.String,
  cwd: Schema.String,
  parentSession: optional(Schema.String),
  title: optional(Schema.String),
  titleSource: optional(Schema.String)
}).annotations({ identifier: "SessionHeader" })
export type SessionHeader = typeof SessionHeader.Type

const Message = Schema.Struct({
  type: Schema.Literal("message"),
  message: AgentMessage,
  /** The `clientMessageId`s of a user message (supplement 6.3). */
  messageId: optional(Schema.String),
  clientMessageId: optional(Schema.String),
  /** A user message that came between two attempts at a model call: the attempt before it was tried again. */
  betweenAttempts: optional(Schema.Boolean),
  /**
   * Of the result of a tool call that did not come to its end: it was never started, or the process ended meanwhile and
   * the result was added when the session was opened again.
   */
  call: optional(Schema.Literal("not_started", "cut_off")),
  /** What a tool spent on models of its own, if its details do not say it. */
  toolUsage: optional(Usage)
})

const Compaction = Schema.Struct({
  type: Schema.Literal("compaction"),
  summary: Schema.String,
  shortSummary: optional(Schema.String),
  firstKeptEntryId: Schema.String,
  tokensBefore: Schema.Finite,
  details: optional(JsonObject),
  preserveData: optional(JsonObject),
  fromExtension: optional(Schema.Boolean)
})

const BranchSummary = Schema.Struct({
  type: Schema.Literal("branch_summary"),
  /** The entry that the session moved to, or `root`. */
  fromId: Schema.String,
  summary: Schema.String,
  details: optional(JsonObject),
  fromExtension: optional(Schema.Boolean)
})

const CustomMessage = Schema.Struct({
  type: Schema.Literal("custom_message"),
  customType: Schema.String,
  content: Schema.Union(Schema.String, Schema.Array(InputContent)),
  display: Schema.Boolean,
  details: optional(Schema.Unknown),
  /** Takes the message off the queue when the session is opened, as that of a user message does. */
  messageId: optional(Schema.String),
  betweenAttempts: optional(Schema.Boolean)
})

/** One call to a provider that produced no assistant message, such as a summary. Messages carry their own usage. */
const UsageEntry = Schema.Struct({
  type: Schema.Literal("usage"),
  source: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  usage: Usage,
  /** Of an entry that stands for many calls. */
  spent: optional(Work)
})

/** An entry to append. The session adds id, parent and time. */
export const NewEntry = Schema.Union(
  Message,
  Schema.Struct({ type: Schema.Literal("model_change"), provider: Schema.String, modelId: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking_level_change"), thinkingLevel: ThinkingLevel }),
  Compaction,
  BranchSummary,
  CustomMessage,
  Schema.Struct({ type: Schema.Literal("custom"), customType: Schema.String, data: optional(Schema.Unknown) }),
  Schema.Struct({ type: Schema.Literal("label"), targetId: Schema.String, label: optional(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("session_info"), name: Schema.String }),
  /** Stream rules that the model was reminded of, by name. */
  Schema.Struct({ type: Schema.Literal("ttsr_injection"), injectedRules: Schema.Array(Schema.String) }),
  /** The todo list, as a host has set it. */
  Schema.Struct({ type: Schema.Literal("todo_state"), phases: Schema.Array(TodoPhase) }),
  UsageEntry
)
export type NewEntry = typeof NewEntry.Type

export interface EntryHeader {
  readonly id: string
  /** Null for a root. */
  readonly parentId: string | null
  readonly timestamp: string
  /** The object in the file, if reading it had to convert it. */
  readonly original?: JsonObject
}

/** An entry of another program that heddle does not use. It is kept unchanged. */
export interface ForeignEntry extends EntryHeader {
  readonly type: "foreign"
  readonly raw: JsonObject
}

export type OwnEntry = NewEntry & EntryHeader
/** An entry that extensions keep their state in, or the queue is kept in. */
export type CustomEntry = Extract<OwnEntry, { readonly type: "custom" }>
export type SessionEntry = OwnEntry | ForeignEntry

/** The entry as the child of another one. Its id stays the same. */
export const placedAt = (entry: SessionEntry, parentId: string | null): SessionEntry => {
  if (entry.type === "foreign") return { ...entry, parentId, raw: { ...entry.raw, parentId } }
  if (entry.original === undefined) return { ...entry, parentId }
  return { ...entry, parentId, original: { ...entry.original, parentId } }
}

/** The JSON object of an entry, in files and on the wire. */
export const toJson = (entry: SessionEntry): object => {
  if (entry.type === "foreign") return entry.raw
  if (entry.original !== undefined) return entry.original
  const { id, parentId, timestamp, type, ...rest } = entry
  return { type, id, parentId, timestamp, ...rest }
}

/** The name of a session as a person typed it, on one line and safe to print; undefined if nothing is left. */
export const cleanName = (typed: string): string | undefined => {
  const name = Text.oneLine(typed)
  return name === "" ? undefined : name
}
