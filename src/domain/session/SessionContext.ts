/**
 * The conversation of a branch (protocol.md 9.5): its messages, with compactions and edits applied. Also the tool calls
 * that a process left without a result.
 */
import * as Predicate from "effect/Predicate"
import type { ToolCall } from "../conversation/Content.ts"
import { readMessage } from "./EntryReading.ts"
import type { AgentMessage, InputMessage } from "../conversation/Message.ts"
import type { NewEntry, SessionEntry } from "./SessionEntry.ts"
import { defined } from "../Values.ts"

/** The message that an entry adds to the conversation, if any. */
export const messageOf = (entry: SessionEntry): AgentMessage | undefined => {
  switch (entry.type) {
    case "message":
      return entry.message
    case "custom_message": {
      const { content, customType, details, display } = entry
      const timestamp = Date.parse(entry.timestamp)
      const extra = defined({ details })
      return { role: "custom", customType, content, display, ...extra, timestamp }
    }
    case "branch_summary":
      return {
        role: "branchSummary",
        summary: entry.summary,
        fromId: entry.fromId,
        timestamp: Date.parse(entry.timestamp)
      }
    case "compaction": {
      const short = defined({ shortSummary: entry.shortSummary })
      return {
        role: "compactionSummary",
        summary: entry.summary,
        ...short,
        tokensBefore: entry.tokensBefore,
        timestamp: Date.parse(entry.timestamp)
      }
    }
    default:
      return undefined
  }
}

interface EntryMarks {
  readonly messageId: string
  readonly clientMessageId?: string
  readonly betweenAttempts?: true
}

/** The entry of a message that the model is to answer. */
export const entryOf = (message: InputMessage, { clientMessageId, ...marks }: EntryMarks): NewEntry => {
  if (message.role === "user") {
    return { type: "message", message, ...marks, ...defined({ clientMessageId }) }
  }
  const { role: _role, timestamp: _timestamp, ...content } = message
  return { type: "custom_message", ...content, ...marks }
}

/** Whether an entry changes earlier messages, so that the conversation has to be computed again. */
export const changesPast = (entry: SessionEntry): boolean =>
  entry.type === "compaction" || (entry.type === "foreign" && entry.raw["type"] === "context_edit")

/** The edits of pi (supplement 7.9), by the entry they change. The latest on the branch wins. */
const editsOf = (branch: ReadonlyArray<SessionEntry>): ReadonlyMap<unknown, unknown> => {
  const edits = new Map<unknown, unknown>()
  for (const entry of branch) {
    if (entry.type !== "foreign" || entry.raw["type"] !== "context_edit") continue
    edits.set(entry.raw["targetId"], entry.raw["replacement"])
  }
  return edits
}

const edited = (message: AgentMessage, replacement: unknown): AgentMessage | undefined => {
  if (replacement === null) return undefined
  if (!Predicate.isReadonlyRecord(replacement) || !("content" in message)) return message
  return readMessage({ ...message, content: replacement["content"] }, message.timestamp) ?? message
}

export interface Conversation {
  readonly messages: Array<AgentMessage>
  /** Those of the user and of extensions that came between two attempts at a model call. */
  readonly between: Set<AgentMessage>
}

/** Adds the message of an entry to the end of the conversation. */
export const extend = ({ between, messages }: Conversation, entry: SessionEntry, message = messageOf(entry)) => {
  if (message === undefined) return
  messages.push(message)
  const isMarked = entry.type === "message" || entry.type === "custom_message"
  if (isMarked && entry.betweenAttempts === true) between.add(message)
}

/** The summary of the newest compaction, then the messages that it kept, then those after it. */
export const read = (branch: ReadonlyArray<SessionEntry>): Conversation => {
  const edits = editsOf(branch)
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const compaction = branch[at]
  if (compaction?.type !== "compaction") return readAll(branch, edits)
  const kept = branch.slice(0, at)
  const from = kept.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  return readAll([compaction, ...(from < 0 ? [] : kept.slice(from)), ...branch.slice(at + 1)], edits)
}

export const conversation = (branch: ReadonlyArray<SessionEntry>): Array<AgentMessage> => read(branch).messages

/** Skips an older compaction among the entries that a newer one kept: the newer summary includes it. */
const readAll = (entries: ReadonlyArray<SessionEntry>, edits: ReadonlyMap<unknown, unknown>): Conversation => {
  const found: Conversation = { messages: [], between: new Set() }
  for (const [position, entry] of entries.entries()) {
    const message = entry.type === "compaction" && position > 0 ? undefined : messageOf(entry)
    const shown = message !== undefined && edits.has(entry.id) ? edited(message, edits.get(entry.id)) : message
    if (shown !== undefined) extend(found, entry, shown)
  }
  return found
}

/** Whether a search for calls without a result, back from the leaf, may stop at this entry. */
export const endsCalls = (entry: SessionEntry): boolean =>
  entry.type === "compaction" ||
  (entry.type === "message" && (entry.message.role === "user" || entry.message.role === "assistant"))

/** The tool calls at the end of a branch without a result: the process ended while they ran. */
export const unansweredCalls = (branch: ReadonlyArray<SessionEntry>): ReadonlyArray<ToolCall> => {
  const answered = new Set<string>()
  for (let at = branch.length - 1; at >= 0; at--) {
    const entry = branch[at]
    const message = entry?.type === "message" ? entry.message : undefined
    if (message?.role === "toolResult") answered.add(message.toolCallId)
    if (message?.role === "user" || entry?.type === "compaction") return []
    if (message?.role !== "assistant") continue
    if (message.stopReason === "error" || message.stopReason === "aborted") return []
    return message.content.flatMap((block) => (block.type === "toolCall" && !answered.has(block.id) ? [block] : []))
  }
  return []
}
