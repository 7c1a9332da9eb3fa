/**
 * The queue of one session. Only this module changes it, and it stores and publishes every change. A change is made in
 * one step with the place of its entry in the session, so a message that is looked up and taken cannot be taken twice,
 * and the file tells the changes in their order. Delivery has no entry here: that of the message takes it off.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import type { NewEntry } from "../../../domain/session/SessionEntry.ts"
import { defined } from "../../../domain/Values.ts"
import { type QueueEdit, QueueFull, QueueRefused } from "../../../services/Agent.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { SettingsValues } from "../../../services/Settings.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"

type Item = MessageQueue.QueuedMessage

interface Dependencies {
  readonly publish: (event: AgentEvent) => void
  readonly dropped: (items: ReadonlyArray<Item>) => void
  readonly session: Pick<typeof Session.Service, "append">
  readonly settings: Pick<SettingsValues, "queue.maxMessages" | "queue.maxBytes">
}

const ids = (items: ReadonlyArray<Item>) => items.map(({ messageId }) => messageId)

/** The queue in memory, and its changes as they are stored and published. */
const makeChanges = ({ publish, session }: Dependencies) => {
  let queue = MessageQueue.empty
  let untold: Array<string> = []
  const watching = new Set<() => void>()

  const set = (next: MessageQueue.MessageQueue, changed: ReadonlyArray<string>) => {
    if (next === queue) return
    queue = next
    untold.push(...changed)
  }

  const tell = () => {
    if (untold.length === 0) return
    const changed = untold
    untold = []
    publish({ _tag: "QueueChanged", queue, changed })
    for (const look of watching) look()
  }

  return {
    current: () => queue,
    set,
    tell,
    watch: (look: () => void) => {
      watching.add(look)
      return () => void watching.delete(look)
    },
    /** Makes a change and gives its entry a place. The effect that is returned stores the entry. */
    begin: <A>(next: MessageQueue.MessageQueue, changed: ReadonlyArray<string>, entry: NewEntry, result: A) => {
      set(next, changed)
      return Effect.as(session.append(entry), result)
    },
    /** Looks and begins in one step. A store that takes its time does not delay the change, only its announcement. */
    step: <A, E>(begin: () => Effect.Effect<A, E>, then: (result: A) => void = () => {}): Effect.Effect<A, E> =>
      storeThenTell(begin, (result) => {
        tell()
        then(result)
        return result
      })
  }
}

type Changes = ReturnType<typeof makeChanges>

/** Changes of single messages, by id. */
const makeControl = (
  { begin, current, step }: Changes,
  wasDelivered: (messageId: string) => boolean,
  { dropped, settings }: Dependencies
) => {
  const missing = (messageId: string) =>
    new QueueRefused({ reason: wasDelivered(messageId) ? "already_delivered" : "queue_item_not_found", messageId })

  /** Why there is no room for a message, or for a longer one in place of another. */
  const refusal = (item: MessageQueue.Size, instead?: Item): QueueFull | undefined => {
    const { "queue.maxBytes": maxBytes, "queue.maxMessages": maxMessages } = settings
    const grows = MessageQueue.bytesOf(item) - (instead === undefined ? 0 : MessageQueue.bytesOf(instead))
    const isTooMany = instead === undefined && MessageQueue.size(current()) >= maxMessages
    const isTooMuch = grows > 0 && current().bytes + grows > maxBytes
    return isTooMany || isTooMuch ? new QueueFull({ maxMessages, maxBytes }) : undefined
  }

  const edit = (messageId: string, { expectedRevision, images, text }: QueueEdit) =>
    step((): Effect.Effect<Item, QueueRefused | QueueFull> => {
      if (expectedRevision !== undefined && expectedRevision !== current().revision) {
        return new QueueRefused({ reason: "revision_conflict", messageId })
      }
      const item = MessageQueue.find(current(), messageId)
      if (item === undefined) return missing(messageId)
      const change = defined({ text, images })
      const edited = MessageQueue.edited(item, change)
      const full = refusal(edited, item)
      if (full !== undefined) return full
      return begin(MessageQueue.replace(current(), edited), [messageId], QueueEntries.added([edited]), edited)
    })

  const promote = (messageId: string, to: MessageQueue.Promotion) =>
    step((): Effect.Effect<Item, QueueRefused> => {
      const item = MessageQueue.find(current(), messageId)
      if (item === undefined) return missing(messageId)
      const next = MessageQueue.promote(current(), item, to)
      if (next === current()) return Effect.succeed(item)
      const moved = MessageQueue.find(next, messageId) ?? item
      return begin(next, [messageId], QueueEntries.added([moved], to === "front"), moved)
    })

  const remove = (messageId: string) =>
    step(
      (): Effect.Effect<Item, QueueRefused> => {
        const item = MessageQueue.find(current(), messageId)
        if (item === undefined) return missing(messageId)
        return begin(MessageQueue.remove(current(), item), [messageId], QueueEntries.removed([item]), item)
      },
      (item) => dropped([item])
    )

  return { refusal, methods: { editQueued: edit, promoteQueued: promote, removeQueued: remove } }
}

export type SessionQueue = ReturnType<typeof make>

export const make = (dependencies: Dependencies) => {
  const { dropped, session } = dependencies
  const changes = makeChanges(dependencies)
  const { begin, current, set, step, tell } = changes
  const delivered = new Set<string>()
  let order = 0
  const { methods, refusal } = makeControl(changes, (messageId) => delivered.has(messageId), dependencies)
  const numbered = (item: Omit<Item, "order">): Item => ({ ...item, order: order++ })

  const take = (items: ReadonlyArray<Item>, left: MessageQueue.MessageQueue): Effect.Effect<ReadonlyArray<Item>> =>
    items.length === 0 ? Effect.succeed(items) : begin(left, ids(items), QueueEntries.removed(items), items)
  const takeAll = () => take(MessageQueue.items(current()), MessageQueue.clear(current()))
  const takeForRun = (taken: (items: ReadonlyArray<Item>) => void) => {
    const items = MessageQueue.itemsForRun(current())
    taken(items)
    return take(items, MessageQueue.clearForRun(current()))
  }

  return {
    /** The queue methods of the Agent contract. */
    control: { queue: Effect.sync(current), clearQueue: step(takeAll, dropped), ...methods },
    /** Takes what waits for a run. The caller, who gets it in the same step, tells the senders. */
    take: (taken: (items: ReadonlyArray<Item>) => void) => step(() => takeForRun(taken)),
    /** Takes messages out of the queue, but not out of the file: `forget` does that, or the session queues them again. */
    putAside: (items: ReadonlyArray<Item>) => {
      set(items.reduce(MessageQueue.remove, current()), ids(items))
      tell()
    },
    forget: (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      items.length === 0 ? Effect.void : Effect.asVoid(session.append(QueueEntries.removed(items))),
    /** Empties the queue in memory only: the messages are queued again when the session is opened. */
    drop: () => {
      const items = MessageQueue.items(current())
      if (items.length === 0) return
      set(MessageQueue.clear(current()), ids(items))
      tell()
      dropped(items)
    },
    current,
    /** Queues what was queued when the session was last open, before anything else is. */
    restore: (items: ReadonlyArray<Item>) => {
      if (items.length === 0) return
      const restored = items.reduce((queue, item) => MessageQueue.add(queue, numbered(item)), current())
      set(MessageQueue.countFrom(restored, 1), [])
    },
    /** Sets the revision from which changes count, before the first of them. What was restored counts as one. */
    countFrom: (revision: number) => {
      const isRestored = MessageQueue.size(current()) > 0
      set(MessageQueue.countFrom(current(), isRestored ? revision + 1 : revision), [])
    },
    sizeForRun: () => MessageQueue.sizeForRun(current()),
    /** Calls `look` when a change was published, until the function that is returned is called. */
    watch: changes.watch,
    hasSteering: () => current().steering.length > 0,
    nextOrder: () => order,
    refusal,
    /** Returns when the message is stored. */
    add: (item: Omit<Item, "order">): Effect.Effect<void> =>
      step(() => {
        const added = numbered(item)
        return begin(MessageQueue.add(current(), added), [item.messageId], QueueEntries.added([added]), undefined)
      }),
    next: (drain: MessageQueue.Drain, last?: Item) => MessageQueue.next(current(), drain, last),
    deliver: (item: Item) => {
      delivered.add(item.messageId)
      set(MessageQueue.remove(current(), item), [item.messageId])
      tell()
    }
  }
}
