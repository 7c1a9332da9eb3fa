/**
 * Messages that wait for a run: steering, follow-ups, and the messages of extensions that wait for the next prompt, each
 * first in, first out (protocol.md 6, supplement 6.3).
 * An immutable value; every change makes a new one with the next revision, and shares all but a few nodes with the one
 * before it. So a change of a long queue costs as little as one of a short queue.
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as RedBlackTree from "effect/RedBlackTree"
import { type ImageContent, plainText } from "./Content.ts"
import { type CustomInput, userContent } from "./Message.ts"

/** The id that a host gave to its command. It is echoed unchanged. */
export type RequestId = string | number

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

/** Messages by their rank: the first one has the lowest. */
type Lane = RedBlackTree.RedBlackTree<number, QueuedMessage>

/** Where a message is, so that it is found without a search. */
interface Spot {
  readonly queue: QueueName
  readonly rank: number
  readonly bytes: number
}

interface Parts {
  readonly revision: number
  /** What the texts and images take together. */
  readonly bytes: number
  readonly lanes: { readonly [Name in QueueName]: Lane }
  readonly spots: HashMap.HashMap<string, Spot>
}

export interface MessageQueue extends Parts {
  /** Listed on first use. */
  readonly steering: ReadonlyArray<QueuedMessage>
  readonly followUp: ReadonlyArray<QueuedMessage>
  readonly nextTurn: ReadonlyArray<QueuedMessage>
}

const listed = (parts: Parts): MessageQueue => {
  const lists: { [Name in QueueName]?: ReadonlyArray<QueuedMessage> } = {}
  const list = (name: QueueName) => (lists[name] ??= [...RedBlackTree.values(parts.lanes[name])])
  return {
    ...parts,
    get steering() {
      return list("steering")
    },
    get followUp() {
      return list("followUp")
    },
    get nextTurn() {
      return list("nextTurn")
    }
  }
}

const noMessages: Lane = RedBlackTree.empty(Order.number)
const none = {
  bytes: 0,
  lanes: { steering: noMessages, followUp: noMessages, nextTurn: noMessages },
  spots: HashMap.empty<string, Spot>()
}

export const empty: MessageQueue = listed({ ...none, revision: 0 })

/** The same messages with another revision. */
export const countFrom = ({ bytes, lanes, spots }: MessageQueue, revision: number): MessageQueue =>
  listed({ bytes, lanes, spots, revision })

export const count = ({ lanes }: MessageQueue, name: QueueName): number => RedBlackTree.size(lanes[name])

/** How many messages a run would empty. */
export const sizeForRun = (queue: MessageQueue): number => count(queue, "steering") + count(queue, "followUp")

export const size = (queue: MessageQueue): number => sizeForRun(queue) + count(queue, "nextTurn")

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
  const details = custom?.details === undefined ? 0 : ofText(JSON.stringify(custom.details))
  return ofText(text) + details + sum(documents, ofText) + sum(images, ({ data }) => data.length)
}

/** Text and images of a custom message, for those who list or edit it. */
export const shownOf = (custom: CustomInput): Size => {
  const { content } = custom
  if (typeof content === "string") return { text: content, images: [], custom }
  return { text: plainText(content), images: content.filter((block) => block.type === "image"), custom }
}

/** The message with another text or other images. A custom message has them in its content, too. */
export const edited = (
  item: QueuedMessage,
  { images = item.images, text = item.text }: Partial<Pick<QueuedMessage, "images" | "text">>
): QueuedMessage => {
  const said = { ...item, text, images }
  if (item.custom === undefined) return said
  return { ...said, custom: { ...item.custom, content: images.length === 0 ? text : userContent({ text, images }) } }
}

const firstRank = (lane: Lane) => Option.match(RedBlackTree.first(lane), { onNone: () => 0, onSome: ([rank]) => rank })
const lastRank = (lane: Lane) => Option.match(RedBlackTree.last(lane), { onNone: () => 0, onSome: ([rank]) => rank })

const spotOf = ({ spots }: Parts, messageId: string): Spot | undefined =>
  Option.getOrUndefined(HashMap.get(spots, messageId))

const put = (parts: Parts, item: QueuedMessage, rank: number): Parts => {
  const { bytes, lanes, revision, spots } = parts
  const spot: Spot = { queue: item.queue, rank, bytes: bytesOf(item) }
  return {
    revision,
    bytes: bytes + spot.bytes,
    lanes: { ...lanes, [item.queue]: RedBlackTree.insert(lanes[item.queue], rank, item) },
    spots: HashMap.set(spots, item.messageId, spot)
  }
}

const take = (parts: Parts, messageId: string, spot: Spot): Parts => {
  const { bytes, lanes, revision, spots } = parts
  return {
    revision,
    bytes: bytes - spot.bytes,
    lanes: { ...lanes, [spot.queue]: RedBlackTree.removeFirst(lanes[spot.queue], spot.rank) },
    spots: HashMap.remove(spots, messageId)
  }
}

const append = (parts: Parts, item: QueuedMessage): Parts => put(parts, item, lastRank(parts.lanes[item.queue]) + 1)

const changed = (before: MessageQueue, parts: Parts): MessageQueue =>
  listed({ ...parts, revision: before.revision + 1 })

/** The place of the message in the queue that the item names. */
const own = (queue: MessageQueue, { messageId, queue: name }: QueuedMessage): Spot | undefined => {
  const spot = spotOf(queue, messageId)
  return spot?.queue === name ? spot : undefined
}

export const add = (queue: MessageQueue, item: QueuedMessage): MessageQueue => changed(queue, append(queue, item))

export const remove = (queue: MessageQueue, item: QueuedMessage): MessageQueue => {
  const spot = own(queue, item)
  return changed(queue, spot === undefined ? queue : take(queue, item.messageId, spot))
}

export const clear = (queue: MessageQueue): MessageQueue => changed(queue, { ...none, revision: queue.revision })

/** Leaves the messages that wait for the next prompt. */
export const clearForRun = (queue: MessageQueue): MessageQueue => {
  let parts: Parts = { ...none, revision: queue.revision }
  for (const [rank, item] of queue.lanes.nextTurn) parts = put(parts, item, rank)
  return changed(queue, parts)
}

export const replace = (queue: MessageQueue, item: QueuedMessage): MessageQueue => {
  const spot = own(queue, item)
  return changed(queue, spot === undefined ? queue : put(take(queue, item.messageId, spot), item, spot.rank))
}

export type Promotion = "steering" | "front"

/** Moves an item to the end of steering, or to the front of its own queue. */
export const promote = (queue: MessageQueue, item: QueuedMessage, to: Promotion): MessageQueue => {
  const spot = own(queue, item)
  if (spot === undefined || (to === "steering" && item.queue === "steering")) return queue
  const rest = take(queue, item.messageId, spot)
  if (to === "front") return changed(queue, put(rest, item, firstRank(rest.lanes[item.queue]) - 1))
  return changed(queue, append(rest, { ...item, queue: "steering" }))
}

export const find = (queue: MessageQueue, messageId: string): QueuedMessage | undefined => {
  const spot = spotOf(queue, messageId)
  return spot && Option.getOrUndefined(RedBlackTree.findFirst(queue.lanes[spot.queue], spot.rank))
}

/** The first message of the user with this text. */
export const findText = (queue: MessageQueue, name: RunQueueName, text: string): QueuedMessage | undefined =>
  queue[name].find((item) => item.custom === undefined && item.text === text)

/** From 0; -1 for a message that is not in the queue that the item names. */
export const position = (queue: MessageQueue, item: QueuedMessage): number => {
  const spot = own(queue, item)
  if (spot === undefined) return -1
  const lane = queue.lanes[spot.queue]
  let [low, high] = [0, RedBlackTree.size(lane) - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const isBefore = Option.exists(RedBlackTree.getAt(lane, middle), ([rank]) => rank < spot.rank)
    ;[low, high] = isBefore ? [middle + 1, high] : [low, middle]
  }
  return low
}

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

const head = (lane: Lane): QueuedMessage | undefined => Option.getOrUndefined(RedBlackTree.first(lane))?.[1]

const earliest = (lane: Lane, since: number): QueuedMessage | undefined => {
  for (const item of RedBlackTree.values(lane)) if (item.order < since) return item
  return undefined
}

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
  const waited =
    isPrompted && point === "start" && last === undefined ? earliest(queue.lanes.nextTurn, since) : undefined
  if (waited !== undefined) return waited
  const first = head(queue.lanes.steering)
  if (first !== undefined) {
    return last === undefined || (last.queue === "steering" && modes.steering === "all") ? first : undefined
  }
  if (point === "continue" || (last?.queue === "followUp" && modes.followUp !== "all")) return undefined
  if (point === "start") return earliest(queue.lanes.followUp, since)
  return last?.queue === "steering" ? undefined : head(queue.lanes.followUp)
}
