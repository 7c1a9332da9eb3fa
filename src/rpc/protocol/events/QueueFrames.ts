/** Queued messages as hosts see them (supplement 6.3), and those that a command hands back. */
import * as Schema from "effect/Schema"
import { described, ImageContent, optional } from "../../../domain/conversation/Content.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../domain/Values.ts"

export const QueueItem = Schema.Struct({
  messageId: Schema.String,
  clientMessageId: optional(Schema.String),
  requestId: optional(MessageQueue.RequestId, "The `id` of the command that queued it."),
  queue: Schema.Literal("steering", "followUp", "nextTurn"),
  custom: optional(
    Schema.Struct({ customType: Schema.String, display: Schema.Boolean }),
    "Present if an extension sent the message."
  ),
  position: described(Schema.Int, "Its place in its queue, from 0."),
  text: Schema.String,
  images: described(Schema.Int, "How many images it has."),
  createdAt: Schema.Finite
}).annotations({ identifier: "QueueItem", description: "A queued message." })
export type QueueItem = typeof QueueItem.Type

/** Without the details of a custom message: they may be long, and every change repeats the items. */
export const queueItem = (
  { custom, documents: _documents, images, order: _order, ...item }: MessageQueue.QueuedMessage,
  position: number
): QueueItem => ({
  ...item,
  images: images.length,
  ...defined({ custom: custom && { customType: custom.customType, display: custom.display } }),
  position
})

export const queueItems = ({ followUp, nextTurn, steering }: MessageQueue.MessageQueue): ReadonlyArray<QueueItem> => [
  ...steering.map(queueItem),
  ...followUp.map(queueItem),
  ...nextTurn.map(queueItem)
]

/** Longer queues are not repeated with every change (protocol.md 6). */
const longest = 100

/** The members of a `queue_update`: the whole queue, or, of a long one, what has changed. */
export const queueUpdate = (queue: MessageQueue.MessageQueue, changed: ReadonlyArray<string>) => {
  const { revision } = queue
  if (MessageQueue.size(queue) <= longest) return { ...MessageQueue.texts(queue), items: queueItems(queue), revision }
  const items: Array<QueueItem> = []
  const removed: Array<string> = []
  for (const messageId of changed) {
    const item = MessageQueue.find(queue, messageId)
    if (item === undefined) removed.push(messageId)
    else items.push(queueItem(item, MessageQueue.position(queue, item)))
  }
  const counts = {
    steering: queue.steering.length,
    followUp: queue.followUp.length,
    nextTurn: queue.nextTurn.length
  }
  return { counts, items, removed, revision }
}

/** The texts of a queue that is short enough to be repeated. */
export const queuedTexts = (queue: MessageQueue.MessageQueue) =>
  MessageQueue.size(queue) <= longest ? { queuedMessages: MessageQueue.texts(queue) } : {}

const texts = Schema.Array(Schema.String)

export const Cleared = Schema.Struct({ steering: texts, followUp: texts })

/** Characters of Base64 that are handed back: the frame repeats them, and has to fit into 64 MiB. */
const mostImages = 16 * 1024 * 1024

const Restored = Schema.Array(Schema.Struct({ text: Schema.String, images: optional(Schema.Array(ImageContent)) }))

/** What hosts of the omp family put back into their editors (supplement 7(12)). */
export const RestoredQueue = Schema.Struct({
  steering: Restored,
  followUp: Restored,
  imagesDropped: optional(Schema.Int, "How many images were left out, because together they have more than 16 MiB.")
}).annotations({ identifier: "RestoredQueue", description: "Messages of the user that have left the queue." })

/** The user's messages that were handed back. */
export const toRestored = (items: ReadonlyArray<MessageQueue.QueuedMessage>): typeof RestoredQueue.Type => {
  let left = mostImages
  let imagesDropped = 0
  const isKept = ({ data }: ImageContent) => {
    const fits = data.length <= left
    if (fits) left -= data.length
    else imagesDropped++
    return fits
  }
  const restored = (name: MessageQueue.RunQueueName) =>
    items
      .filter(({ custom, queue }) => custom === undefined && queue === name)
      .map(({ images, text }) => {
        const kept = images.filter(isKept)
        return { text, ...(kept.length === 0 ? {} : { images: kept }) }
      })
  const lists = { steering: restored("steering"), followUp: restored("followUp") }
  return { ...lists, ...(imagesDropped === 0 ? {} : { imagesDropped }) }
}

/** The texts of the user's messages that were handed back, if there are any. */
export const toCleared = (
  items: ReadonlyArray<MessageQueue.QueuedMessage>
): { readonly cleared?: typeof Cleared.Type } => {
  const messages = items.filter(({ custom }) => custom === undefined)
  if (messages.length === 0) return {}
  const texts = (name: string) => messages.filter(({ queue }) => queue === name).map(({ text }) => text)
  return { cleared: { steering: texts("steering"), followUp: texts("followUp") } }
}
