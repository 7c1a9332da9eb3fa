/**
 * Messages that wait for a run: steering and follow-ups, each first in, first out (protocol.md 6, supplement 6.3).
 * An immutable value; every change makes a new one with the next revision, and shares all but a few nodes with the one
 * before it. So a change of a long queue costs as little as one of a short queue.
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as RedBlackTree from "effect/RedBlackTree"
import type { ImageContent } from "./Content.ts"

/** The id that a host gave to its command. It is echoed unchanged. */
export type RequestId = string | number

export type QueueName = "steering" | "followUp"
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
}

const listed = (parts: Parts): MessageQueue => {
  let [steering, followUp]: [ReadonlyArray<QueuedMessage>?, ReadonlyArray<QueuedMessage>?] = []
  return {
    ...parts,
    get steering() {
      return (steering ??= [...RedBlackTree.values(parts.lanes.steering)])
    },
    get followUp() {
      return (followUp ??= [...RedBlackTree.values(parts.lanes.followUp)])
    }
  }
}

const noMessages: Lane = RedBlackTree.empty(Order.number)
const none = { bytes: 0, lanes: { steering: noMessages, followUp: noMessages }, spots: HashMap.empty<string, Spot>() }

export const empty: MessageQueue = listed({ ...none, revision: 0 })

/** The same messages with another revision. */
export const countFrom = ({ bytes, lanes, spots }: MessageQueue, revision: number): MessageQueue =>
  listed({ bytes, lanes, spots, revision })

export const count = ({ lanes }: MessageQueue, name: QueueName): number => RedBlackTree.size(lanes[name])

export const size = (queue: MessageQueue): number => count(queue, "steering") + count(queue, "followUp")

export const items = ({ followUp, steering }: MessageQueue): ReadonlyArray<QueuedMessage> => [...steering, ...followUp]

export const ids = (queue: MessageQueue): ReadonlyArray<string> => items(queue).map(({ messageId }) => messageId)

/** The texts of both queues, as hosts show them. */
export const texts = ({ followUp, steering }: MessageQueue) => ({
  steering: steering.map(({ text }) => text),
  followUp: followUp.map(({ text }) => text)
})

const utf8 = new TextEncoder()

export type Size = Pick<QueuedMessage, "text" | "images" | "documents">

/** What a message takes, in bytes of UTF-8 and characters of Base64. */
export const bytesOf = ({ documents = [], images, text }: Size): number => {
  const ofTexts = documents.reduce((sum, document) => sum + utf8.encode(document).length, utf8.encode(text).length)
  return images.reduce((sum, { data }) => sum + data.length, ofTexts)
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

export const findText = (queue: MessageQueue, name: QueueName, text: string): QueuedMessage | undefined =>
  queue[name].find((item) => item.text === text)

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
}

const head = (lane: Lane): QueuedMessage | undefined => Option.getOrUndefined(RedBlackTree.first(lane))?.[1]

const earliest = (lane: Lane, since: number): QueuedMessage | undefined => {
  for (const item of RedBlackTree.values(lane)) if (item.order < since) return item
  return undefined
}

/** The message to deliver after `last` at a drain point. Follow-ups come after all steering. */
export const next = (
  queue: MessageQueue,
  { modes, point, since }: Drain,
  last?: QueuedMessage
): QueuedMessage | undefined => {
  const first = head(queue.lanes.steering)
  if (first !== undefined) {
    return last === undefined || (last.queue === "steering" && modes.steering === "all") ? first : undefined
  }
  if (point === "continue" || (last?.queue === "followUp" && modes.followUp !== "all")) return undefined
  if (point === "start") return earliest(queue.lanes.followUp, since)
  return last?.queue === "steering" ? undefined : head(queue.lanes.followUp)
}
