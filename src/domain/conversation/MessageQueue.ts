/**
 * Messages that wait for a run: steering, follow-ups, and the messages of extensions that wait for the next prompt, each
 * first in, first out (protocol.md 6, supplement 6.3). An immutable value; every change makes one with the next revision.
 */
import * as Json from "../Json.ts"
import * as Schema from "effect/Schema"
import { type ImageContent, textAndImages } from "./Content.ts"
import { type CustomInput, userContent } from "./Message.ts"

/** The id that a host gave to its command. It is echoed unchanged: a number stays a number. */
export const RequestId = Schema.Union(Schema.String, Schema.Finite)
export type RequestId = typeof RequestId.Type

/** The queues that a run empties. */
export type RunQueueName = "steering" | "followUp"
/** `nextTurn` holds custom messages only, which the first turn of the next prompt takes. */
export type QueueName = RunQueueName | "nextTurn"
export type QueueMode = "all" | "one-at-a-time"

export interface QueuedMessage {
  readonly messageId: string
  readonly clientMessageId?: string
  readonly requestId?: RequestId
  readonly queue: QueueName
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  /** The texts of attached documents. */
  readonly documents?: ReadonlyArray<string>
  /** The message is that of an extension. Its text and images are here and, as the extension sent them, in `content`. */
  readonly custom?: CustomInput
  readonly createdAt: number
  /** The position among all messages ever queued. It tells messages from before a run from those that came during it. */
  readonly order: number
}

type Lists = { readonly [Name in QueueName]: ReadonlyArray<QueuedMessage> }

export interface MessageQueue extends Lists {
  readonly revision: number
  /** The total size of the texts and images. */
  readonly bytes: number
}

export const empty: MessageQueue = { revision: 0, bytes: 0, steering: [], followUp: [], nextTurn: [] }

/** The same messages with another revision. */
export const countFrom = (queue: MessageQueue, revision: number): MessageQueue => ({ ...queue, revision })

/** How many messages a run would empty. */
export const sizeForRun = ({ followUp, steering }: MessageQueue): number => steering.length + followUp.length

export const size = (queue: MessageQueue): number => sizeForRun(queue) + queue.nextTurn.length

export const itemsForRun = ({ followUp, steering }: MessageQueue): ReadonlyArray<QueuedMessage> => [
  ...steering,
  ...followUp
]

export const items = (queue: MessageQueue): ReadonlyArray<QueuedMessage> => [...itemsForRun(queue), ...queue.nextTurn]

export const ids = (queue: MessageQueue): ReadonlyArray<string> => items(queue).map(({ messageId }) => messageId)

const saidIn = (list: ReadonlyArray<QueuedMessage>): ReadonlyArray<string> =>
  list.flatMap(({ custom, text }) => (custom === undefined ? [text] : []))

/** The texts of the user in both queues, as hosts show them. */
export const texts = ({ followUp, steering }: MessageQueue) => ({
  steering: saidIn(steering),
  followUp: saidIn(followUp)
})

const utf8 = new TextEncoder()

export type Size = Pick<QueuedMessage, "text" | "images" | "documents" | "custom">

const sum = <A>(values: ReadonlyArray<A>, measure: (value: A) => number): number =>
  values.reduce((total, value) => total + measure(value), 0)

const ofText = (text: string) => utf8.encode(text).length

/** What a message takes, in bytes of UTF-8 and characters of Base64. */
export const bytesOf = ({ custom, documents = [], images, text }: Size): number => {
  const details = custom?.details === undefined ? 0 : ofText(Json.stringify(custom.details))
  return ofText(text) + details + sum(documents, ofText) + sum(images, ({ data }) => data.length)
}

/** Text and images of a custom message, for those who list or edit it. */
export const shownOf = (custom: CustomInput): Size => ({ ...textAndImages(custom.content), custom })

/** The message with another text or other images. A custom message has them in its content, too. */
export const edited = (
  item: QueuedMessage,
  { images = item.images, text = item.text }: Partial<Pick<QueuedMessage, "images" | "text">>
): QueuedMessage => {
  const changed = { ...item, text, images }
  if (item.custom === undefined) return changed
  return { ...changed, custom: { ...item.custom, content: images.length === 0 ? text : userContent({ text, images }) } }
}

const total = (list: ReadonlyArray<QueuedMessage>) => sum(list, bytesOf)

/** The next revision, with these lists in place of the ones they replace. */
const changed = (queue: MessageQueue, lists: Partial<Lists>, bytes: number): MessageQueue => ({
  ...queue,
  ...lists,
  bytes,
  revision: queue.revision + 1
})

/** The messages of a queue without the one with this id, if they have it. */
const without = (list: ReadonlyArray<QueuedMessage>, messageId: string) =>
  list.filter((item) => item.messageId !== messageId)

/** The stored message with the id of the item, if it is in the queue that the item names. */
const own = (queue: MessageQueue, { messageId, queue: name }: QueuedMessage): QueuedMessage | undefined =>
  queue[name].find((item) => item.messageId === messageId)

export const add = (queue: MessageQueue, item: QueuedMessage): MessageQueue =>
  changed(queue, { [item.queue]: [...queue[item.queue], item] }, queue.bytes + bytesOf(item))

export const remove = (queue: MessageQueue, item: QueuedMessage): MessageQueue => {
  const found = own(queue, item)
  if (found === undefined) return changed(queue, {}, queue.bytes)
  return changed(queue, { [item.queue]: without(queue[item.queue], item.messageId) }, queue.bytes - bytesOf(found))
}

export const clear = (queue: MessageQueue): MessageQueue => countFrom(empty, queue.revision + 1)

/** Leaves the messages that wait for the next prompt. */
export const clearForRun = (queue: MessageQueue): MessageQueue =>
  changed(queue, { steering: [], followUp: [] }, total(queue.nextTurn))

export const replace = (queue: MessageQueue, item: QueuedMessage): MessageQueue => {
  const found = own(queue, item)
  if (found === undefined) return changed(queue, {}, queue.bytes)
  const list = queue[item.queue].map((each) => (each === found ? item : each))
  return changed(queue, { [item.queue]: list }, queue.bytes - bytesOf(found) + bytesOf(item))
}

export type Promotion = "steering" | "front"

/** Moves an item to the end of steering, or to the front of its own queue. */
export const promote = (queue: MessageQueue, item: QueuedMessage, to: Promotion): MessageQueue => {
  const { bytes, steering } = queue
  const found = own(queue, item)
  if (found === undefined || (to === "steering" && item.queue === "steering")) return queue
  const rest = without(queue[item.queue], item.messageId)
  const grown = bytes - bytesOf(found) + bytesOf(item)
  if (to === "front") return changed(queue, { [item.queue]: [item, ...rest] }, grown)
  return changed(queue, { [item.queue]: rest, steering: [...steering, { ...item, queue: "steering" }] }, grown)
}

export const find = (queue: MessageQueue, messageId: string): QueuedMessage | undefined =>
  items(queue).find((item) => item.messageId === messageId)

/** The first message of the user with this text. */
export const findText = (queue: MessageQueue, name: RunQueueName, text: string): QueuedMessage | undefined =>
  queue[name].find((item) => item.custom === undefined && item.text === text)

/** From 0; -1 for a message that is not in the queue that the item names. */
export const position = (queue: MessageQueue, item: QueuedMessage): number =>
  queue[item.queue].findIndex(({ messageId }) => messageId === item.messageId)

/** The drain points: the first turn of a run, after tools or a failed call, and when the model would stop. */
export type DrainPoint = "start" | "continue" | "settled"

export interface Drain {
  readonly point: DrainPoint
  readonly modes: { readonly steering: QueueMode; readonly followUp: QueueMode }
  /** Follow-ups with a lower `order` were queued before the run started. Its first turn takes them. */
  readonly since: number
  /** A prompt began the run, so its first turn takes the messages that waited for it. */
  readonly isPrompted?: boolean
}

const earliest = (list: ReadonlyArray<QueuedMessage>, since: number) => list.find(({ order }) => order < since)

/**
 * The message to deliver after `last` at a drain point. All that waited for the prompt comes first, and follow-ups come
 * after all steering.
 */
export const next = (
  queue: MessageQueue,
  { isPrompted = false, modes, point, since }: Drain,
  latest?: QueuedMessage
): QueuedMessage | undefined => {
  const last = latest?.queue === "nextTurn" ? undefined : latest
  const waited = isPrompted && point === "start" && last === undefined ? earliest(queue.nextTurn, since) : undefined
  if (waited !== undefined) return waited
  const [first] = queue.steering
  if (first !== undefined) {
    return last === undefined || (last.queue === "steering" && modes.steering === "all") ? first : undefined
  }
  if (point === "continue" || (last?.queue === "followUp" && modes.followUp !== "all")) return undefined
  if (point === "start") return earliest(queue.followUp, since)
  return last?.queue === "steering" ? undefined : queue.followUp[0]
}
