/**
 * The queue of one session. Only this module changes it, and it stores and publishes every change. A change is made in
 * one step with the place of its entry in the session, so a message that is looked up and taken cannot be taken twice,
 * and the file tells the changes in their order. Delivery has no entry here: that of the message takes it off.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import type { Fact } from "../../../domain/inbox/step.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import type { NewEntry } from "../../../domain/session/SessionEntry.ts"
import { defined } from "../../../domain/Values.ts"
import { type QueueEdit, QueueFull, QueueRefused } from "../../../services/Agent.ts"
import type { Session } from "../../../services/session/Session.ts"
import { storeThenTell } from "../events/StoreThenTell.ts"
import type { Messages } from "./Messages.ts"

type Item = MessageQueue.QueuedMessage

interface Dependencies {
  readonly messages: Messages
  readonly publish: (event: AgentEvent) => void
  readonly session: Pick<typeof Session.Service, "append">
}

/** What becomes of the queue. */
type Change = Fact<"Queued" | "Edited" | "Promoted" | "Removed" | "Emptied" | "Delivered">

const ids = (items: ReadonlyArray<Item>) => items.map(({ messageId }) => messageId)

/** Changes of the queue as they are stored and published. */
const makeChanges = ({ messages, publish, session }: Dependencies) => {
  let untold: Array<string> = []
  const watching = new Set<() => void>()

  const set = (change: Change, changed: ReadonlyArray<string>) => {
    messages.tell(change)
    untold.push(...changed)
  }

  const tell = () => {
    if (untold.length === 0) return
    const changed = untold
    untold = []
    publish({ _tag: "QueueChanged", queue: messages.state().queue, changed })
    for (const look of watching) look()
  }

  return {
    set,
    tell,
    watch: (look: () => void) => {
      watching.add(look)
      return () => void watching.delete(look)
    },
    /** Makes a change and gives its entry a place. The effect that is returned stores the entry. */
    begin: <A>(change: Change, changed: ReadonlyArray<string>, entry: NewEntry, result: A) => {
      set(change, changed)
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
const makeControl = ({ begin, step }: Changes, { messages }: Dependencies) => {
  const refused = (reason: QueueRefused["reason"], messageId: string) => new QueueRefused({ reason, messageId })
  const full = () => {
    const { mostBytes, mostMessages } = messages.state().limits
    return new QueueFull({ maxMessages: mostMessages, maxBytes: mostBytes })
  }

  const edit = (messageId: string, { expectedRevision, images, text }: QueueEdit) =>
    step((): Effect.Effect<Item, QueueRefused | QueueFull> => {
      const change = defined({ text, images })
      const decision = messages.decide({ _tag: "Edit", messageId, change, ...defined({ expectedRevision }) })
      if (decision._tag === "Refuse") return decision.code === "queue_full" ? full() : refused(decision.code, messageId)
      const { item } = decision
      return begin({ _tag: "Edited", item }, [messageId], QueueEntries.added([item]), item)
    })

  const promote = (messageId: string, to: MessageQueue.Promotion) =>
    step((): Effect.Effect<Item, QueueRefused> => {
      const decision = messages.decide({ _tag: "Pick", messageId })
      if (decision._tag === "Refuse") return refused(decision.code, messageId)
      const { item } = decision
      const next = MessageQueue.promote(messages.state().queue, item, to)
      if (next === messages.state().queue) return Effect.succeed(item)
      const moved = MessageQueue.find(next, messageId) ?? item
      return begin({ _tag: "Promoted", item, to }, [messageId], QueueEntries.added([moved], to === "front"), moved)
    })

  const remove = (messageId: string) =>
    step(
      (): Effect.Effect<Item, QueueRefused> => {
        const decision = messages.decide({ _tag: "Pick", messageId })
        if (decision._tag === "Refuse") return refused(decision.code, messageId)
        const items = [decision.item]
        return begin({ _tag: "Removed", items }, [messageId], QueueEntries.removed(items), decision.item)
      },
      (item) => messages.drop([item])
    )

  return { full, methods: { edit, promote, remove } }
}

export type SessionQueue = ReturnType<typeof make>

export const make = (dependencies: Dependencies) => {
  const { messages, session } = dependencies
  const changes = makeChanges(dependencies)
  const { begin, set, step, tell } = changes
  const { full, methods } = makeControl(changes, dependencies)
  const current = () => messages.state().queue

  const take = (items: ReadonlyArray<Item>, isForRun: boolean): Effect.Effect<ReadonlyArray<Item>> =>
    items.length === 0
      ? Effect.succeed(items)
      : begin({ _tag: "Emptied", isForRun }, ids(items), QueueEntries.removed(items), items)

  return {
    control: {
      current: Effect.sync(current),
      clear: step(() => take(MessageQueue.items(current()), false), messages.drop),
      ...methods
    },
    /** Takes what waits for a run. The caller, who gets it in the same step, tells the senders. */
    take: (taken: (items: ReadonlyArray<Item>) => void) =>
      step(() => {
        const items = MessageQueue.itemsForRun(current())
        taken(items)
        return take(items, true)
      }),
    /** Takes messages out of the queue, but not out of the file: `forget` does that, or the session queues them again. */
    putAside: (items: ReadonlyArray<Item>) => {
      set({ _tag: "Removed", items }, ids(items))
      tell()
    },
    forget: (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      items.length === 0 ? Effect.void : Effect.asVoid(session.append(QueueEntries.removed(items))),
    /** Empties the queue in memory only: the messages are queued again when the session is opened. */
    drop: () => {
      const items = MessageQueue.items(current())
      if (items.length === 0) return
      set({ _tag: "Emptied", isForRun: false }, ids(items))
      tell()
      messages.drop(items)
    },
    /** Calls `look` when a change was published, until the function that is returned is called. */
    watch: changes.watch,
    hasSteering: () => current().steering.length > 0,
    full,
    /** Returns when the message is stored. To be called in the step in which it was decided that there is room for it. */
    add: (change: Omit<Fact<"Queued">, "_tag">): Effect.Effect<void> =>
      step(() => {
        const { messageId } = change.item
        const item: Item = { ...change.item, order: messages.state().nextOrder }
        return begin({ _tag: "Queued", ...change }, [messageId], QueueEntries.added([item]), undefined)
      }),
    next: (drain: MessageQueue.Drain, last?: Item) => MessageQueue.next(current(), drain, last),
    deliver: (item: Item, runId: string) => {
      set({ _tag: "Delivered", item, runId }, [item.messageId])
      tell()
    }
  }
}
