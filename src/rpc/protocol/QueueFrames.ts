/** A queued message as hosts see it (supplement 6.3). */
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
    /** In its queue, from 0. */
    position: Schema.Int,
    text: Schema.String,
    /** How many. */
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
