/**
 * Queued messages in the session's file (protocol.md 9.3), so that a crash loses none. An `add` queues messages, or
 * replaces those that are queued; a `remove` takes them off, and so does the entry of the delivered message itself.
 * These entries are never on a branch: the leaf stays where it is.
 */
import * as Predicate from "effect/Predicate"
import type { InputContent } from "../conversation/Content.ts"
import { plainText } from "../conversation/Content.ts"
import { type CustomInput, userContent } from "../conversation/Message.ts"
import * as MessageQueue from "../conversation/MessageQueue.ts"
import { isCustomInput, isInput } from "./EntryShape.ts"
import { type CustomEntry, type NewEntry, placedAt, type SessionEntry } from "./SessionEntry.ts"
import { defined } from "../Values.ts"

export const customType = "heddle.queue"

export type QueueEntry = CustomEntry

export const isQueueEntry = (entry: SessionEntry): entry is QueueEntry =>
  entry.type === "custom" && entry.customType === customType

type Item = MessageQueue.QueuedMessage

export interface StoredItem extends Pick<Item, "messageId" | "clientMessageId" | "requestId" | "queue" | "custom"> {
  /** Empty for a custom message, which has its own. */
  readonly content: ReadonlyArray<InputContent>
  /** How many of the texts in the content are attached documents: the last ones. */
  readonly documents?: number
}

interface Change {
  readonly op: "add" | "remove"
  readonly items: ReadonlyArray<StoredItem>
  /** The items are moved to the front of their queue. */
  readonly front: boolean
}

const stored = (item: Item): StoredItem => {
  const { clientMessageId, custom, documents, messageId, queue, requestId } = item
  if (custom !== undefined) return { messageId, queue, content: [], custom }
  return {
    messageId,
    ...defined({ clientMessageId, requestId }),
    queue,
    content: userContent(item),
    ...defined({ documents: documents?.length })
  }
}

export const added = (items: ReadonlyArray<Item>, front: boolean = false): NewEntry => {
  const data = { op: "add", items: items.map(stored), ...(front ? { front } : {}) }
  return { type: "custom", customType, data }
}

/** Without the content, which the file has already. */
export const removed = (items: ReadonlyArray<Item>): NewEntry => {
  const data = { op: "remove", items: items.map(({ messageId, queue }) => ({ messageId, queue })) }
  return { type: "custom", customType, data }
}

const isQueue = (name: unknown): name is MessageQueue.QueueName =>
  name === "steering" || name === "followUp" || name === "nextTurn"

const readCustom = (value: unknown): CustomInput | undefined => {
  if (!isCustomInput(value)) return undefined
  const { content, customType, details, display } = value
  return { customType, content, display, ...defined({ details }) }
}

const readItem = (value: unknown): StoredItem | undefined => {
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const { clientMessageId, content = [], documents, messageId, queue, requestId } = value
  if (typeof messageId !== "string" || !isQueue(queue)) return undefined
  if (!Array.isArray(content)) return undefined
  if (value["custom"] !== undefined) {
    const custom = readCustom(value["custom"])
    return custom && { messageId, queue, content: [], custom }
  }
  return {
    messageId,
    ...(typeof clientMessageId === "string" ? { clientMessageId } : {}),
    ...(typeof requestId === "string" || typeof requestId === "number" ? { requestId } : {}),
    queue,
    content: content.filter(isInput),
    ...(typeof documents === "number" && documents > 0 ? { documents } : {})
  }
}

/** Items that are damaged are left out. */
export const read = ({ data }: QueueEntry): Change => {
  const { front, items, op } = Predicate.isReadonlyRecord(data) ? data : {}
  const found = Array.isArray(items) ? items.flatMap((item) => readItem(item) ?? []) : []
  return { op: op === "remove" ? "remove" : "add", items: op === undefined ? [] : found, front: front === true }
}

const waiting = ({ content, custom, documents = 0, ...item }: StoredItem, createdAt: number): Item => {
  if (custom !== undefined) return { ...item, ...MessageQueue.shownOf(custom), createdAt, order: 0 }
  const texts = content.filter((block) => block.type === "text")
  const prompts = Math.max(0, texts.length - documents)
  return {
    ...item,
    text: plainText(texts.slice(0, prompts)),
    images: content.filter((block) => block.type === "image"),
    ...(documents === 0 ? {} : { documents: texts.slice(prompts).map(({ text }) => text) }),
    createdAt,
    order: 0
  }
}

const put = (queue: MessageQueue.MessageQueue, item: Item, front: boolean): MessageQueue.MessageQueue => {
  const before = MessageQueue.find(queue, item.messageId)
  const now = { ...item, createdAt: before?.createdAt ?? item.createdAt }
  if (before?.queue !== item.queue) {
    return MessageQueue.add(before === undefined ? queue : MessageQueue.remove(queue, before), now)
  }
  const edited = MessageQueue.replace(queue, now)
  return front ? MessageQueue.promote(edited, now, "front") : edited
}

const apply = (before: MessageQueue.MessageQueue, entry: QueueEntry): MessageQueue.MessageQueue => {
  const { front, items, op } = read(entry)
  const createdAt = Date.parse(entry.timestamp)
  let queue = before
  for (const item of items) {
    const changed = waiting(item, createdAt)
    queue = op === "add" ? put(queue, changed, front) : MessageQueue.remove(queue, changed)
  }
  return queue
}

/** The messages that are still queued, steering first. `entries` are in the order of the file. */
export const restore = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<Item> => {
  let queue = MessageQueue.empty
  for (const entry of entries) {
    if (isQueueEntry(entry)) queue = apply(queue, entry)
    const isDelivery = entry.type === "message" || entry.type === "custom_message"
    const messageId = isDelivery ? entry.messageId : undefined
    const delivered = messageId === undefined ? undefined : MessageQueue.find(queue, messageId)
    if (delivered !== undefined) queue = MessageQueue.remove(queue, delivered)
  }
  return MessageQueue.items(queue)
}

/** For a copy: what is queued in one session is not queued in another. Children get the parent of the entry left out. */
export const without = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<SessionEntry> => {
  const parents = new Map<string, string | null>()
  return entries.flatMap((entry) => {
    const { parentId: named } = entry
    const parentId = named !== null && parents.has(named) ? (parents.get(named) ?? null) : named
    if (!isQueueEntry(entry)) return [parentId === named ? entry : placedAt(entry, parentId)]
    parents.set(entry.id, parentId)
    return []
  })
}
