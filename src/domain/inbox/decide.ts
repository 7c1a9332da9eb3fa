/** What becomes of a message, from the state alone: no effects, no services, no time. */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import type { InputContent } from "../conversation/Content.ts"
import * as MessageQueue from "../conversation/MessageQueue.ts"
import { defined } from "../Values.ts"
import { isSame, type Known } from "./Receipts.ts"
import { isBusy, type State, takesMessages } from "./State.ts"

/** The sender's own id for a message, and the content by which a message that is sent again is told from another one. */
export interface Name {
  readonly clientMessageId: string
  readonly content: ReadonlyArray<InputContent>
}

interface Messages {
  /** A message whose text is to be prepared. Nothing is prepared for one that was sent before. */
  readonly Heard: { readonly name?: Name }
  /** A prompt, or a change of the session or its branch: only one of them is carried out at a time. */
  readonly Turn: object
  /** Starts a run. `whenBusy` is the queue that it joins where one goes on. It has the turn. */
  readonly Prompt: { readonly name?: Name; readonly whenBusy?: MessageQueue.RunQueueName }
  /** For the queue, also when no run goes on. */
  readonly Enqueue: { readonly name?: Name }
  /** A message that may be queued, and was found affordable: the last question. */
  readonly Put: { readonly said: MessageQueue.Size }
  /** A custom message. */
  readonly Send: {
    readonly deliverAs: MessageQueue.QueueName
    readonly triggerTurn?: boolean
    readonly said: MessageQueue.Size
  }
  /** The result of a command of the user. */
  readonly Bash: object
  /** The command `compact`. */
  readonly Compact: object
  readonly Edit: {
    readonly messageId: string
    readonly change: Partial<Pick<MessageQueue.QueuedMessage, "text" | "images">>
    readonly expectedRevision?: number
  }
  /** A message in the queue is moved or taken out. */
  readonly Pick: { readonly messageId: string }
}

export type Kind = keyof Messages
export type Message<K extends Kind = Kind> = { readonly [T in K]: Messages[T] & { readonly _tag: T } }[K]

export interface Refuse<Code> {
  readonly _tag: "Refuse"
  readonly code: Code
}
/** The receipts are to be read from the session first, by which a message that was sent before is known. */
export interface Read {
  readonly _tag: "Read"
}
/** It was sent before. */
export interface Repeat {
  readonly _tag: "Repeat"
  readonly known: Known
}
/** To be decided again when nobody else has the turn. */
export interface Wait {
  readonly _tag: "Wait"
}
/** Nothing is in its way. */
export interface Handle {
  readonly _tag: "Handle"
}
/** It starts a run. */
export interface Start {
  readonly _tag: "Start"
}
/** It may join the queue of the run that goes on, if it is affordable: `Put` is asked then. */
export interface Join {
  readonly _tag: "Join"
  readonly queue: MessageQueue.RunQueueName
}
/** It joins the queue; `isIdle` where no run goes on that would deliver it. */
export interface Queue {
  readonly _tag: "Queue"
  readonly isIdle: boolean
}
/** It becomes a message now. */
export interface Append {
  readonly _tag: "Append"
}
/** It becomes a message when the run is over. */
export interface Late {
  readonly _tag: "Late"
}
/** The host has left the session. */
export interface Drop {
  readonly _tag: "Drop"
}
/** The message in the queue, as it is to be. */
export interface Found {
  readonly _tag: "Found"
  readonly item: MessageQueue.QueuedMessage
}

type Resent = Read | Repeat | Refuse<"client_message_conflict">
type Unfound = Refuse<"queue_item_not_found" | "already_delivered">

interface Decisions {
  readonly Heard: Resent | Handle
  readonly Turn: Wait | Handle
  readonly Prompt: Resent | Refuse<"closing" | "busy"> | Join | Start
  readonly Enqueue: Resent | Refuse<"closing"> | Handle
  readonly Put: Refuse<"queue_full"> | Queue
  readonly Send: Refuse<"closing" | "queue_full"> | Queue | Late | Append | Start
  readonly Bash: Drop | Late | Append
  readonly Compact: Refuse<"closing" | "busy"> | Handle
  readonly Edit: Unfound | Refuse<"revision_conflict" | "queue_full"> | Found
  readonly Pick: Unfound | Found
}

export type Decision<K extends Kind = Kind> = Decisions[K]

const read: Read = { _tag: "Read" }
const wait: Wait = { _tag: "Wait" }
const handle: Handle = { _tag: "Handle" }
const start: Start = { _tag: "Start" }
const append: Append = { _tag: "Append" }
const late: Late = { _tag: "Late" }
const drop: Drop = { _tag: "Drop" }
const refuse = <Code>(code: Code): Refuse<Code> => ({ _tag: "Refuse", code })
const queue = (state: State): Queue => ({ _tag: "Queue", isIdle: !takesMessages(state) })
const found = (item: MessageQueue.QueuedMessage): Found => ({ _tag: "Found", item })

const resent = ({ receipts }: State, name: Name | undefined): Resent | undefined => {
  if (name === undefined) return undefined
  if (receipts === undefined) return read
  const known = Option.getOrUndefined(HashMap.get(receipts, name.clientMessageId))
  if (known === undefined) return undefined
  return isSame(known.content, name.content) ? { _tag: "Repeat", known } : refuse("client_message_conflict")
}

/** Whether there is no room for a message, or for a longer one in place of another. */
const isFull = ({ limits, queue }: State, said: MessageQueue.Size, instead?: MessageQueue.QueuedMessage): boolean => {
  const grows = MessageQueue.bytesOf(said) - (instead === undefined ? 0 : MessageQueue.bytesOf(instead))
  if (instead === undefined && MessageQueue.size(queue) >= limits.mostMessages) return true
  return grows > 0 && queue.bytes + grows > limits.mostBytes
}

const put = (state: State, said: MessageQueue.Size) =>
  isFull(state, said) ? refuse("queue_full" as const) : queue(state)

/** A custom message that the model need not answer. A prompt that is still being checked does not read the conversation yet. */
const quiet = (state: State, said: MessageQueue.Size) => {
  if (!isBusy(state) || state.phase._tag === "Preparing") return append
  const { limits, lateBytes, late: waiting } = state
  const isTooMuch = waiting.length >= limits.mostMessages || lateBytes + MessageQueue.bytesOf(said) > limits.mostBytes
  return isTooMuch ? refuse("queue_full" as const) : late
}

/** A message that left the queue for a run cannot be changed any more. */
const inQueue = ({ delivered, queue }: State, messageId: string): Unfound | Found => {
  const item = MessageQueue.find(queue, messageId)
  if (item !== undefined) return found(item)
  return refuse(HashSet.has(delivered, messageId) ? "already_delivered" : "queue_item_not_found")
}

/** In each, refusals come in the order in which they are reported (protocol.md 3.1). */
const decisions: { readonly [K in Kind]: (state: State, message: Message<K>) => Decisions[K] } = {
  Heard: (state, { name }) => resent(state, name) ?? handle,
  Turn: (state) => (state.isTaken ? wait : handle),
  Prompt: (state, { name, whenBusy }) => {
    const before = resent(state, name)
    if (before !== undefined) return before
    if (state.isClosing) return refuse("closing")
    if (whenBusy !== undefined && takesMessages(state)) return { _tag: "Join", queue: whenBusy }
    return isBusy(state) ? refuse("busy") : start
  },
  Enqueue: (state, { name }) => resent(state, name) ?? (state.isClosing ? refuse("closing") : handle),
  Put: (state, { said }) => put(state, said),
  Send: (state, { deliverAs, said, triggerTurn }) => {
    if (state.isClosing) return refuse("closing")
    if (deliverAs === "nextTurn") return put(state, said)
    if (triggerTurn === false) return quiet(state, said)
    if (takesMessages(state)) return put(state, said)
    if (triggerTurn === undefined) return quiet(state, said)
    // It does not wait for the check of a prompt: the sender may be a hook for which that check waits.
    return isBusy(state) ? put(state, said) : start
  },
  Bash: (state) => {
    if (state.isLeft) return drop
    return isBusy(state) ? late : append
  },
  Compact: (state) => {
    if (state.isClosing) return refuse("closing")
    return isBusy(state) ? refuse("busy") : handle
  },
  Edit: (state, { change, expectedRevision, messageId }) => {
    if (expectedRevision !== undefined && expectedRevision !== state.queue.revision) return refuse("revision_conflict")
    const there = inQueue(state, messageId)
    if (there._tag === "Refuse") return there
    const edited = MessageQueue.edited(there.item, defined(change))
    return isFull(state, edited, there.item) ? refuse("queue_full") : found(edited)
  },
  Pick: (state, { messageId }) => inQueue(state, messageId)
}

export const decide = <K extends Kind>(state: State, message: Message<K>): Decisions[K] =>
  decisions[message._tag](state, message)
