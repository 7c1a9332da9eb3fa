/**
 * Messages that wait for a run: steering and follow-ups, each first in, first out (protocol.md 6, supplement 6.3).
 * An immutable value; every change makes a new one with the next revision.
 */
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
  readonly createdAt: number
  /** The position among all messages ever queued. It tells messages from before a run from those that came during it. */
  readonly order: number
}

export interface MessageQueue {
  readonly revision: number
  readonly steering: ReadonlyArray<QueuedMessage>
  readonly followUp: ReadonlyArray<QueuedMessage>
}

export const empty: MessageQueue = { revision: 0, steering: [], followUp: [] }

export const size = ({ followUp, steering }: MessageQueue): number => steering.length + followUp.length

export const items = ({ followUp, steering }: MessageQueue): ReadonlyArray<QueuedMessage> => [...steering, ...followUp]

/** The texts of both queues, as hosts show them. */
export const texts = ({ followUp, steering }: MessageQueue) => ({
  steering: steering.map(({ text }) => text),
  followUp: followUp.map(({ text }) => text)
})

const change = (queue: MessageQueue, next: Partial<Omit<MessageQueue, "revision">>): MessageQueue => ({
  ...queue,
  ...next,
  revision: queue.revision + 1
})

export const add = (queue: MessageQueue, item: QueuedMessage): MessageQueue =>
  change(queue, { [item.queue]: [...queue[item.queue], item] })

export const remove = (queue: MessageQueue, { messageId, queue: name }: QueuedMessage): MessageQueue =>
  change(queue, { [name]: queue[name].filter((other) => other.messageId !== messageId) })

export const clear = (queue: MessageQueue): MessageQueue => change(queue, { steering: [], followUp: [] })

export const replace = (queue: MessageQueue, item: QueuedMessage): MessageQueue =>
  change(queue, {
    [item.queue]: queue[item.queue].map((other) => (other.messageId === item.messageId ? item : other))
  })

export type Promotion = "steering" | "front"

/** Moves an item to the end of steering, or to the front of its own queue. */
export const promote = (queue: MessageQueue, item: QueuedMessage, to: Promotion): MessageQueue => {
  if (to === "steering" && item.queue === "steering") return queue
  const rest = remove(queue, item)
  if (to === "front") return { ...rest, [item.queue]: [item, ...rest[item.queue]] }
  return { ...rest, steering: [...rest.steering, { ...item, queue: "steering" }] }
}

export const find = (queue: MessageQueue, messageId: string): QueuedMessage | undefined =>
  items(queue).find((item) => item.messageId === messageId)

export const findText = (queue: MessageQueue, name: QueueName, text: string): QueuedMessage | undefined =>
  queue[name].find((item) => item.text === text)

export const position = (queue: MessageQueue, { messageId, queue: name }: QueuedMessage): number =>
  queue[name].findIndex((item) => item.messageId === messageId)

/** The drain points: the first turn of a run, after tools or a failed call, and when the model would stop. */
export type DrainPoint = "start" | "continue" | "settled"

export interface Drain {
  readonly point: DrainPoint
  readonly modes: { readonly steering: QueueMode; readonly followUp: QueueMode }
  /** Follow-ups with a lower `order` were queued before the run started. Its first turn takes them. */
  readonly since: number
}

/** The message to deliver after `last` at a drain point. Follow-ups come after all steering. */
export const next = (
  { followUp, steering }: MessageQueue,
  { modes, point, since }: Drain,
  last?: QueuedMessage
): QueuedMessage | undefined => {
  const first = steering[0]
  if (first !== undefined) {
    return last === undefined || (last.queue === "steering" && modes.steering === "all") ? first : undefined
  }
  if (point === "continue" || (last?.queue === "followUp" && modes.followUp !== "all")) return undefined
  if (point === "start") return followUp.find(({ order }) => order < since)
  return last?.queue === "steering" ? undefined : followUp[0]
}
