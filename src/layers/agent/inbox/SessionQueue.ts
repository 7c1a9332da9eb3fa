/**
 * The queue of one session. Only this module changes it, and it publishes every change. All calls are synchronous, so a
 * message that is looked up and taken in one step cannot be taken twice.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { type QueueEdit, QueueRefused } from "../../../services/Agent.ts"

type Item = MessageQueue.QueuedMessage

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
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

  /** Empties the queue. The caller tells the senders. */
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

  /** The queue methods of the Agent contract. */
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
    /** Empties the queue. Prompts in it end as aborted. */
    drop,
    current: () => queue,
    /** Sets the revision from which changes count, before the first of them. */
    countFrom: (revision: number) => {
      queue = { ...queue, revision }
    },
    size: () => MessageQueue.size(queue),
    hasSteering: () => queue.steering.length > 0,
    nextOrder: () => order,
    add: (item: Omit<Item, "order">) => set(MessageQueue.add(queue, { ...item, order: order++ })),
    next: (drain: MessageQueue.Drain, last?: Item) => MessageQueue.next(queue, drain, last),
    deliver: (item: Item) => {
      delivered.add(item.messageId)
      set(MessageQueue.remove(queue, item))
    }
  }
}
