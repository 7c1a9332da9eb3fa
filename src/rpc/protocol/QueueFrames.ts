/** Queued messages as hosts see them (supplement 6.3), and those that a command hands back. */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { lazy, type Type } from "../../domain/Lazy.ts"
import type * as MessageQueue from "../../domain/conversation/MessageQueue.ts"
import { RequestId } from "./Frame.ts"

export const QueueItem = lazy(() =>
  Schema.Struct({
    messageId: Schema.String,
    clientMessageId: optional(Schema.String),
    requestId: optional(RequestId),
    queue: Schema.Literal("steering", "followUp"),
    /** Its place in its queue, from 0. */
    position: Schema.Int,
    text: Schema.String,
    images: Schema.Int,
    createdAt: Schema.Finite
  }).annotations({ identifier: "QueueItem" })
)
export type QueueItem = Type<typeof QueueItem>

export const queueItem = (
  { images, order: _order, ...item }: MessageQueue.QueuedMessage,
  position: number
): QueueItem => ({ ...item, images: images.length, position })

export const queueItems = ({ followUp, steering }: MessageQueue.MessageQueue): ReadonlyArray<QueueItem> => [
  ...steering.map(queueItem),
  ...followUp.map(queueItem)
]

export const Cleared = lazy(() => {
  const texts = Schema.Array(Schema.String)
  return Schema.Struct({ steering: texts, followUp: texts })
})

/** The texts of the messages that were handed back, if there are any. */
export const toCleared = (
  items: ReadonlyArray<MessageQueue.QueuedMessage>
): { readonly cleared?: Type<typeof Cleared> } => {
  if (items.length === 0) return {}
  const texts = (name: string) => items.filter(({ queue }) => queue === name).map(({ text }) => text)
  return { cleared: { steering: texts("steering"), followUp: texts("followUp") } }
}
