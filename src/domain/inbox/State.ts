/**
 * What a session knows of the messages that it was sent, and what it is doing, as one value. `decide` reads it, `step` makes
 * the next one, and nothing else changes it.
 *
 *   Idle ──Checking──▶ Preparing ──Begun──▶ Running ──RunEnding──▶ Ending ──RunOver──▶ Idle
 *    │                    │                    ▲                      │
 *    │                    └──Settled──▶ Idle   └──────RunWentOn───────┘
 *    └──Compacting──▶ Holding ──Settled──▶ Idle
 *
 * After `Closing`, what would return to Idle becomes Closed.
 */
import type * as HashSet from "effect/HashSet"
import * as HashSets from "effect/HashSet"
import type { PromptEnd, RequestId } from "../conversation/AgentEvent.ts"
import * as MessageQueue from "../conversation/MessageQueue.ts"
import type { LateRecord } from "../session/LateEntries.ts"
import type { Receipts } from "./Receipts.ts"

export type Phase =
  | { readonly _tag: "Idle" }
  /** A prompt is checked and stored. */
  | { readonly _tag: "Preparing" }
  | { readonly _tag: "Running"; readonly runId: string }
  /** The model has nothing more to do; late records are stored, and queued messages may continue the run. */
  | { readonly _tag: "Ending"; readonly runId: string }
  /** The command `compact` keeps prompts away. */
  | { readonly _tag: "Holding" }
  | { readonly _tag: "Closed" }

/** A message that was accepted, until it has ended. */
export interface Record {
  readonly messageId: string
  /** `handling`: a slash command has taken its place. */
  readonly stage: "queued" | "running" | "handling"
  /** The run that has taken it. */
  readonly runId?: string
  /** The requests that wait for its end: the one that sent it, and those that sent it again. */
  readonly requests: ReadonlyArray<RequestId | undefined>
  readonly clientMessageId?: string
}

export interface EndedRecord {
  readonly record: Record
  readonly end: PromptEnd
}

/** Which messages of a run's queues return to their senders at its end: all of them, or prompts that somebody waits for. */
export type HandBack = "all" | "prompts"

export interface Limits {
  readonly mostMessages: number
  readonly mostBytes: number
}

export interface State {
  readonly phase: Phase
  /** Prompts are refused from now on. */
  readonly isClosing: boolean
  /** The host has left the session: what comes now is dropped. */
  readonly isLeft: boolean
  /** Somebody has the turn: a prompt until its sender has the answer, or a change of the session or its branch. Others wait. */
  readonly isTaken: boolean
  /** In the order in which they were accepted. */
  readonly records: ReadonlyMap<string, Record>
  /** Those that the last step has ended. They are in `records` no more. */
  readonly ended: ReadonlyArray<EndedRecord>
  /** The messages that wait for a run. */
  readonly queue: MessageQueue.MessageQueue
  /** The `order` of the next message in the queue. */
  readonly nextOrder: number
  readonly delivered: HashSet.HashSet<string>
  /** Undefined until they were read from the session. */
  readonly receipts: Receipts | undefined
  /** Records that become messages when the run is over, and the size of the custom messages among them. */
  readonly late: ReadonlyArray<LateRecord>
  readonly lateBytes: number
  /** What an abort has asked for. */
  readonly handsBack: HandBack | undefined
  /** Taken out of the queue, to be collected by whoever has aborted the run. */
  readonly handedBack: ReadonlyArray<MessageQueue.QueuedMessage>
  readonly limits: Limits
}

export const make = (limits: Limits): State => ({
  phase: { _tag: "Idle" },
  isClosing: false,
  isLeft: false,
  isTaken: false,
  records: new Map(),
  ended: [],
  queue: MessageQueue.empty,
  nextOrder: 0,
  delivered: HashSets.empty(),
  receipts: undefined,
  late: [],
  lateBytes: 0,
  handsBack: undefined,
  handedBack: [],
  limits
})

/** A prompt or the command `compact` has claimed the session. */
export const isBusy = ({ phase }: State): boolean => phase._tag !== "Idle" && phase._tag !== "Closed"

/** A queued message would be delivered by the run. */
export const takesMessages = ({ phase }: State): boolean => phase._tag === "Running" || phase._tag === "Ending"

/** From the check of a prompt to the end of its run. */
export const isPrompted = (state: State): boolean => state.phase._tag === "Preparing" || takesMessages(state)

/** Nobody waits for a message that was queued before the process started, so it holds up nothing until it is sent again. */
const isAwaited = ({ records }: State, messageId: string): boolean => (records.get(messageId)?.requests.length ?? 0) > 0

/** No run is going on, and nobody waits for the end of a message (protocol.md 6). */
export const isSettled = (state: State): boolean => {
  if (takesMessages(state)) return false
  for (const { requests } of state.records.values()) if (requests.length > 0) return false
  return true
}

/** What returns to its sender when the run ends. */
export const due = (state: State): ReadonlyArray<MessageQueue.QueuedMessage> => {
  if (state.handsBack === undefined) return []
  const items = MessageQueue.itemsForRun(state.queue)
  return state.handsBack === "all" ? items : items.filter(({ messageId }) => isAwaited(state, messageId))
}

/** What comes when a run has nothing more to do: something is stored first, queued messages continue it, or it is over. */
export const atEnd = (state: State, mayGoOn: boolean): "store" | "goOn" | "over" => {
  if (state.late.length > 0 || due(state).length > 0) return "store"
  return mayGoOn && MessageQueue.sizeForRun(state.queue) > 0 ? "goOn" : "over"
}
