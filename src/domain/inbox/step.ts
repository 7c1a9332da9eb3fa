/** How the state of an inbox changes: every transition is here. */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import type { PromptEnd, RequestId } from "../conversation/AgentEvent.ts"
import * as MessageQueue from "../conversation/MessageQueue.ts"
import type { LateRecord } from "../session/LateEntries.ts"
import { defined } from "../Values.ts"
import type { Known, Receipts } from "./Receipts.ts"
import type { EndedRecord, HandBack, Record, State } from "./State.ts"

type Item = MessageQueue.QueuedMessage

/** Who waits for the end of a message. Nobody does for one of an extension, or one that the sender has only queued. */
type Requests = ReadonlyArray<RequestId | undefined>

interface Facts {
  /** A prompt is being checked. */
  readonly Checking: object
  /** It is stored, and its run begins. */
  readonly Begun: { readonly runId: string; readonly requests: Requests; readonly known: Known }
  readonly RunEnding: { readonly runId: string }
  readonly RunWentOn: { readonly runId: string }
  readonly RunOver: { readonly runId: string; readonly result: Omit<PromptEnd, "runId"> }
  readonly Compacting: object
  /** A prompt was refused, or a compaction on demand is over. */
  readonly Settled: object
  readonly Closing: object
  readonly Left: object
  readonly TurnTaken: object
  readonly TurnOver: object

  /** A slash command has taken the place of a message. */
  readonly Handling: Pick<Record, "messageId" | "requests" | "clientMessageId">
  /** The receipt of a message that a command or a hook has dealt with. */
  readonly Handled: { readonly known: Known }
  /** The message was sent again. */
  readonly Joined: { readonly messageId: string; readonly requestId: RequestId | undefined }
  /** Its sender was told that it has ended, or has given it up. */
  readonly Withdrawn: { readonly messageId: string }
  readonly Ended: { readonly messageId: string; readonly end: PromptEnd }
  /** Messages left the queue undelivered, for good. */
  readonly Dropped: { readonly items: ReadonlyArray<Item> }
  readonly ReceiptsRead: { readonly receipts: Receipts }

  /** What was queued when the session was last open. */
  readonly Restored: { readonly items: ReadonlyArray<Item> }
  /** The revision from which changes count, before the first of them. What was restored counts as one. */
  readonly Counted: { readonly revision: number }
  readonly Queued: { readonly item: Omit<Item, "order">; readonly requests: Requests; readonly known?: Known }
  readonly Edited: { readonly item: Item }
  readonly Promoted: { readonly item: Item; readonly to: MessageQueue.Promotion }
  /** Messages leave the queue one by one; their senders are told later. */
  readonly Removed: { readonly items: ReadonlyArray<Item> }
  /** The queue is emptied, or what waits in it for a run. */
  readonly Emptied: { readonly isForRun: boolean }
  /** A run has taken the message. */
  readonly Delivered: { readonly item: Item; readonly runId: string }
  readonly LateCame: { readonly record: LateRecord; readonly bytes: number }
  readonly LateTaken: object
  /** An abort was asked for. */
  readonly HandBackAsked: { readonly which: HandBack }
  /** It has been taken care of. */
  readonly HandBackOver: object
  readonly HandedBack: { readonly items: ReadonlyArray<Item> }
  readonly Collected: object
}

type Tag = keyof Facts
export type Fact<T extends Tag = Tag> = { readonly [K in T]: Facts[K] & { readonly _tag: K } }[T]

/** The end of a message that left the queue undelivered. */
const dropped: PromptEnd = { status: "aborted" }

const free = (state: State): State => ({ ...state, phase: { _tag: state.isClosing ? "Closed" : "Idle" } })

const put = (state: State, record: Record): State => ({
  ...state,
  records: new Map(state.records).set(record.messageId, record)
})

const remember = (state: State, known: Known | undefined): State => {
  const { clientMessageId } = known?.receipt ?? {}
  if (known === undefined || clientMessageId === undefined || state.receipts === undefined) return state
  return { ...state, receipts: HashMap.set(state.receipts, clientMessageId, known) }
}

const noteEnd = (receipts: Receipts | undefined, { end, record }: EndedRecord) => {
  if (receipts === undefined || record.clientMessageId === undefined) return receipts
  return HashMap.modify(receipts, record.clientMessageId, (known) =>
    known.receipt.messageId === record.messageId ? { ...known, end } : known
  )
}

/** All of them end at once, so that each report says how the session is after the last. */
const end = (state: State, ended: ReadonlyArray<EndedRecord>): State => {
  const records = new Map(state.records)
  for (const { record } of ended) records.delete(record.messageId)
  return { ...state, records, ended, receipts: ended.reduce(noteEnd, state.receipts) }
}

const endAll = (state: State, ids: ReadonlyArray<string>, how: PromptEnd): State =>
  end(
    state,
    ids.flatMap((messageId) => {
      const record = state.records.get(messageId)
      return record === undefined ? [] : [{ record, end: how }]
    })
  )

/** Ends the messages that the run has taken, and those that were handed back at its end. */
const endRun = (state: State, runId: string, result: Omit<PromptEnd, "runId">): State => {
  const back = new Set(state.handedBack.map(({ messageId }) => messageId))
  const over: Array<EndedRecord> = []
  for (const record of state.records.values()) {
    if (record.runId === runId) over.push({ record, end: { runId, ...result } })
    else if (back.has(record.messageId)) over.push({ record, end: dropped })
  }
  return end(free(state), over)
}

const begin = (state: State, { known, requests, runId }: Fact<"Begun">): State => {
  const { clientMessageId, messageId } = known.receipt
  const record: Record = { messageId, stage: "running", runId, requests, ...defined({ clientMessageId }) }
  return remember(put({ ...state, phase: { _tag: "Running", runId } }, record), known)
}

const enqueue = (state: State, item: Omit<Item, "order">, requests: Requests): State => {
  const { clientMessageId, messageId } = item
  const queued = {
    ...state,
    nextOrder: state.nextOrder + 1,
    queue: MessageQueue.add(state.queue, { ...item, order: state.nextOrder })
  }
  return put(queued, { messageId, stage: "queued", requests, ...defined({ clientMessageId }) })
}

const restore = (state: State, items: ReadonlyArray<Item>): State => {
  if (items.length === 0) return state
  const restored = items.reduce((so, item) => enqueue(so, item, []), state)
  return { ...restored, queue: MessageQueue.countFrom(restored.queue, 1) }
}

const deliver = (state: State, item: Item, runId: string): State => {
  const { messageId } = item
  const taken = {
    ...state,
    queue: MessageQueue.remove(state.queue, item),
    delivered: HashSet.add(state.delivered, messageId)
  }
  const record = state.records.get(messageId)
  return record === undefined ? taken : put(taken, { ...record, stage: "running", runId })
}

const leave = (state: State, messageId: string): State => {
  const records = new Map(state.records)
  records.delete(messageId)
  return { ...state, records }
}

const join = (state: State, messageId: string, requestId: RequestId | undefined): State => {
  const record = state.records.get(messageId)
  return record === undefined ? state : put(state, { ...record, requests: [...record.requests, requestId] })
}

const close = (state: State): State => {
  const closing = { ...state, isClosing: true }
  return state.phase._tag === "Idle" ? free(closing) : closing
}

const count = (state: State, revision: number): State => {
  const first = MessageQueue.size(state.queue) > 0 ? revision + 1 : revision
  return { ...state, queue: MessageQueue.countFrom(state.queue, first) }
}

type Step<T extends Tag> = (state: State, fact: Fact<T>) => State

const steps: { readonly [T in Tag]: Step<T> } = {
  Checking: (state) => ({ ...state, phase: { _tag: "Preparing" } }),
  Begun: begin,
  RunEnding: (state, { runId }) => ({ ...state, phase: { _tag: "Ending", runId } }),
  RunWentOn: (state, { runId }) => ({ ...state, phase: { _tag: "Running", runId }, handsBack: undefined }),
  RunOver: (state, { result, runId }) => endRun({ ...state, handsBack: undefined }, runId, result),
  Compacting: (state) => ({ ...state, phase: { _tag: "Holding" } }),
  Settled: free,
  Closing: close,
  Left: (state) => ({ ...state, isLeft: true }),
  TurnTaken: (state) => ({ ...state, isTaken: true }),
  TurnOver: (state) => ({ ...state, isTaken: false }),

  Handling: (state, { clientMessageId, messageId, requests }) =>
    put(state, { messageId, stage: "handling", requests, ...defined({ clientMessageId }) }),
  Handled: (state, { known }) => remember(state, known),
  Joined: (state, { messageId, requestId }) => join(state, messageId, requestId),
  Withdrawn: (state, { messageId }) => leave(state, messageId),
  Ended: (state, { end: how, messageId }) => endAll(state, [messageId], how),
  Dropped: (state, { items }) =>
    endAll(
      state,
      items.map(({ messageId }) => messageId),
      dropped
    ),
  ReceiptsRead: (state, { receipts }) => ({ ...state, receipts }),

  Restored: (state, { items }) => restore(state, items),
  Counted: (state, { revision }) => count(state, revision),
  Queued: (state, { item, known, requests }) => remember(enqueue(state, item, requests), known),
  Edited: (state, { item }) => ({ ...state, queue: MessageQueue.replace(state.queue, item) }),
  Promoted: (state, { item, to }) => ({ ...state, queue: MessageQueue.promote(state.queue, item, to) }),
  Removed: (state, { items }) => ({ ...state, queue: items.reduce(MessageQueue.remove, state.queue) }),
  Emptied: (state, { isForRun }) => ({
    ...state,
    queue: isForRun ? MessageQueue.clearForRun(state.queue) : MessageQueue.clear(state.queue)
  }),
  Delivered: (state, { item, runId }) => deliver(state, item, runId),
  LateCame: (state, { bytes, record }) => ({
    ...state,
    late: [...state.late, record],
    lateBytes: state.lateBytes + bytes
  }),
  LateTaken: (state) => ({ ...state, late: [], lateBytes: 0 }),
  HandBackAsked: (state, { which }) => ({ ...state, handsBack: which }),
  HandBackOver: (state) => ({ ...state, handsBack: undefined }),
  HandedBack: (state, { items }) => ({ ...state, handedBack: [...state.handedBack, ...items] }),
  Collected: (state) => ({ ...state, handedBack: [] })
}

export const step = <T extends Tag>(state: State, fact: Fact<T>): State =>
  steps[fact._tag](state.ended.length === 0 ? state : { ...state, ended: [] }, fact)
