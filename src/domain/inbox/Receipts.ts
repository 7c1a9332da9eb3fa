/**
 * Receipts of messages that have a clientMessageId, so that sending one again has no effect (supplement 6.3). The ids are
 * stored with the messages; the receipts are read from the session's entries when the first of them is looked up.
 */
import * as HashMap from "effect/HashMap"
import type { PromptEnd } from "../conversation/AgentEvent.ts"
import type { InputContent } from "../conversation/Content.ts"
import type { AssistantMessage } from "../conversation/Message.ts"
import * as QueueEntries from "../session/QueueEntries.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

/** What became of a message. */
export interface Receipt {
  /** `handled`: a hook or a slash command has dealt with it. */
  readonly disposition: "started" | "queued" | "handled"
  readonly runId?: string
  /** A handled message has an id, too, by which it is found again. Its sender is not told. */
  readonly messageId: string
  readonly clientMessageId?: string
  /** The message was queued while the session was idle. The first turn of the next run takes it. */
  readonly idle?: true
  /** It was handled and has ended. */
  readonly agentInvoked?: false
}

export interface Known {
  /** As it was sent, before hooks and commands have changed it. */
  readonly content: ReadonlyArray<InputContent>
  readonly receipt: Receipt
  readonly end?: PromptEnd
}

/** By clientMessageId. */
export type Receipts = HashMap.HashMap<string, Known>

export const isSame = (one: ReadonlyArray<InputContent>, other: ReadonlyArray<InputContent>): boolean =>
  one.length === other.length &&
  one.every((block, at) => {
    const twin = other[at]
    if (block.type === "text") return twin?.type === "text" && twin.text === block.text
    return twin?.type === "image" && twin.data === block.data && twin.mimeType === block.mimeType
  })

const endOf = ({ errorMessage, stopReason }: AssistantMessage): PromptEnd => {
  if (stopReason === "error") return { status: "error", error: { message: errorMessage ?? "", retryable: false } }
  return { status: stopReason === "aborted" || stopReason === "toolUse" ? "aborted" : "completed" }
}

const aborted: PromptEnd = { status: "aborted" }

interface Found {
  readonly content: ReadonlyArray<InputContent>
  readonly receipt: Receipt
  end?: PromptEnd
}
type Index = Map<string, Found>

/** A message that left the queue undelivered ended as aborted. */
const noteQueued = (entry: QueueEntries.QueueEntry, known: Index, byMessage: Index) => {
  const { items, op } = QueueEntries.read(entry)
  for (const { clientMessageId, content, messageId } of items) {
    const earlier = byMessage.get(messageId)
    if (op === "remove" && earlier !== undefined) earlier.end = aborted
    if (op === "remove" || earlier !== undefined || clientMessageId === undefined) continue
    const message: Found = { content, receipt: { disposition: "queued", messageId, clientMessageId } }
    known.set(clientMessageId, message)
    byMessage.set(messageId, message)
  }
}

/** Reads them from a session. The last answer before the next user message tells how a prompt ended. */
export const restore = (entries: ReadonlyArray<SessionEntry>): Receipts => {
  const [known, byMessage]: [Index, Index] = [new Map(), new Map()]
  let last: Found | undefined
  for (const entry of entries) {
    if (QueueEntries.isQueueEntry(entry)) noteQueued(entry, known, byMessage)
    if (entry.type !== "message") continue
    const { clientMessageId, message, messageId = entry.id } = entry
    if (message.role === "assistant" && last !== undefined) last.end = endOf(message)
    if (message.role !== "user") continue
    last = byMessage.get(messageId)
    if (last !== undefined) last.end = aborted
    if (last !== undefined || clientMessageId === undefined) continue
    const receipt: Receipt = { disposition: "started", messageId, clientMessageId }
    last = { content: message.content, receipt, end: aborted }
    known.set(clientMessageId, last)
  }
  return HashMap.fromIterable(known)
}
