/**
 * The queue of one session: the only place that changes it, and every change is announced. Plain calls, because
 * nothing here waits: a message that is looked up and taken in one step cannot be taken by anybody else.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { type QueueEdit, QueueRefused } from "../../../services/Agent.ts"

type Item = MessageQueue.QueuedMessage

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  /** Messages that left the queue without being delivered. */
  readonly dropped: (items: ReadonlyArray<Item>) => void
}

export type SessionQueue = ReturnType<typeof make>

export const make = ({ dropped, publish }: Dependencies) => {
  let queue = MessageQueue.empty
  let order = 0
  const delivered = new Set<string>()

  const set = (next: MessageQueue.MessageQueue) => {
    if (next === queue) return
    queue = next
    publish({ _tag: "QueueChanged", queue })
  }

  /** Takes everything out, for whoever tells the senders. */
  const take = (): ReadonlyArray<Item> => {
    if (MessageQueue.size(queue) === 0) return []
    const items = MessageQueue.items(queue)
    set(MessageQueue.clear(queue))
    return items
  }

  const drop = () => {
    const items = take()
    dropped(items)
    return items
  }

  const look = (messageId: string): Effect.Effect<Item, QueueRefused> => {
    const item = MessageQueue.find(queue, messageId)
    if (item !== undefined) return Effect.succeed(item)
    return new QueueRefused({
      reason: delivered.has(messageId) ? "already_delivered" : "queue_item_not_found",
      messageId
    })
  }

  const change = <A>(messageId: string, by: (item: Item) => A): Effect.Effect<A, QueueRefused> =>
    Effect.suspend(() => Effect.map(look(messageId), by))

  /** What embedders and hosts may do with it. */
  const control = {
    queue: Effect.sync(() => queue),
    clearQueue: Effect.sync(drop),
    editQueued: (messageId: string, { expectedRevision, images, text }: QueueEdit) =>
      Effect.suspend(() => {
        if (expectedRevision !== undefined && expectedRevision !== queue.revision) {
          return new QueueRefused({ reason: "revision_conflict", messageId })
        }
        return change(messageId, (item) => {
          const edited = { ...item, text: text ?? item.text, images: images ?? item.images }
          set(MessageQueue.replace(queue, edited))
          return edited
        })
      }),
    removeQueued: (messageId: string) =>
      change(messageId, (item) => {
        set(MessageQueue.remove(queue, item))
        dropped([item])
        return item
      }),
    promoteQueued: (messageId: string, to: MessageQueue.Promotion) =>
      change(messageId, (item) => {
        set(MessageQueue.promote(queue, item, to))
        return MessageQueue.find(queue, messageId) ?? item
      })
  }

  return {
    control,
    take,
    /** Takes everything out; prompts among it end as aborted. */
    drop,
    current: () => queue,
    /** Before anything is queued: the revision that the next change counts from. */
    countFrom: (revision: number) => {
      queue = { ...queue, revision }
    },
    size: () => MessageQueue.size(queue),
    hasSteering: () => queue.steering.length > 0,
    /** What is queued from now on has at least this `order`. */
    nextOrder: () => order,
    add: (item: Omit<Item, "order">) => set(MessageQueue.add(queue, { ...item, order: order++ })),
    next: (drain: MessageQueue.Drain, last?: Item) => MessageQueue.next(queue, drain, last),
    deliver: (item: Item) => {
      delivered.add(item.messageId)
      set(MessageQueue.remove(queue, item))
    }
  }
}
