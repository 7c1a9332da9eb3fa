/** Decides what a compaction summarises and keeps, before it asks a model (protocol.md 7.3). Pure. */
import * as Either from "effect/Either"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { OwnEntry, SessionEntry } from "../session/SessionEntry.ts"
import * as ContextTokens from "./ContextTokens.ts"

/** Finds the cut: messages before it are summarised, messages from it on are kept (protocol.md 7.3). Pure. */
interface Cut {
  readonly firstKept: number
  /** Index of the first message that is kept. The entries between the two are not part of the conversation. */
  readonly message: number
  /** Index of the message that starts the turn; equal to `message` unless the cut divides a turn. */
  readonly turnStart: number
}

/** The message of an entry. The summary of an older compaction does not count. */
const messageAt = (entries: ReadonlyArray<SessionEntry>, at: number): AgentMessage | undefined => {
  const entry = entries[at]
  return entry === undefined || entry.type === "compaction" ? undefined : SessionContext.messageOf(entry)
}

/** A tool result must stay with its tool call. */
const canCut = (message: AgentMessage | undefined) => message !== undefined && message.role !== "toolResult"

const beginsTurn = (message: AgentMessage | undefined) => canCut(message) && message?.role !== "assistant"

/** The index at which the messages from the newest backwards reach `keep` tokens. */
const reach = (entries: ReadonlyArray<SessionEntry>, start: number, keep: number): number | undefined => {
  let tokens = 0
  for (let at = entries.length - 1; at >= start; at--) {
    const message = messageAt(entries, at)
    if (message === undefined) continue
    tokens += ContextTokens.estimate(message)
    if (tokens >= keep) return at
  }
  return undefined
}

const search = (from: number, to: number, step: 1 | -1, fits: (at: number) => boolean): number | undefined => {
  for (let at = from; step > 0 ? at <= to : at >= to; at += step) if (fits(at)) return at
  return undefined
}

/** Undefined if there is nothing to summarise. */
const findCut = (entries: ReadonlyArray<SessionEntry>, start: number, keep: number): Cut | undefined => {
  const last = entries.length - 1
  const reached = reach(entries, start, keep)
  if (reached === undefined) return undefined
  const fits = (at: number) => canCut(messageAt(entries, at))
  // A long tool result at the end is kept together with its tool call, which comes before it.
  const message = search(reached, last, 1, fits) ?? search(reached - 1, start, -1, fits)
  if (message === undefined) return undefined
  const isSaid = (at: number) => entries[at]?.type === "compaction" || messageAt(entries, at) !== undefined
  const before = search(message - 1, start, -1, isSaid)
  const turnStart = search(message, start, -1, (at) => beginsTurn(messageAt(entries, at)))
  return { firstKept: (before ?? start - 1) + 1, message, turnStart: turnStart ?? message }
}

export type CompactionEntry = Extract<OwnEntry, { readonly type: "compaction" }>

export interface Preparation {
  readonly history: ReadonlyArray<AgentMessage>
  /** The first messages of the turn that the cut divides; they are summarised, and the rest of the turn is kept. */
  readonly prefix: ReadonlyArray<AgentMessage>
  readonly kept: ReadonlyArray<AgentMessage>
  readonly firstKeptEntryId: string
  /** The previous compaction, whose summary covers everything before the history. */
  readonly previous?: CompactionEntry
}

export type Refusal = "already_compacted" | "nothing_to_compact"

/** Starts with the messages that the previous compaction kept: no summary covers them. */
const startAfter = (branch: ReadonlyArray<SessionEntry>, previous: CompactionEntry, at: number): number => {
  const kept = branch.findIndex(({ id }) => id === previous.firstKeptEntryId)
  return kept < 0 || kept >= at ? at + 1 : kept
}

const messages = (branch: ReadonlyArray<SessionEntry>, from: number, to: number): ReadonlyArray<AgentMessage> => {
  const found: Array<AgentMessage> = []
  for (let at = from; at < to; at++) {
    const message = messageAt(branch, at)
    if (message !== undefined) found.push(message)
  }
  return found
}

/** `branch` is the path from the root to the leaf, and `keepTokens` says how much of its end to keep. */
export const prepare = (
  branch: ReadonlyArray<SessionEntry>,
  keepTokens: number
): Either.Either<Preparation, Refusal> => {
  if (branch.at(-1)?.type === "compaction") return Either.left("already_compacted")
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const previous = branch[at]
  const start = previous?.type === "compaction" ? startAfter(branch, previous, at) : 0
  const cut = findCut(branch, start, keepTokens)
  if (cut === undefined) return Either.left("nothing_to_compact")
  const history = messages(branch, start, cut.turnStart)
  const prefix = messages(branch, cut.turnStart, cut.message)
  const first = branch[cut.firstKept]
  if (first === undefined || history.length + prefix.length === 0) return Either.left("nothing_to_compact")
  return Either.right({
    history,
    prefix,
    kept: messages(branch, cut.message, branch.length),
    firstKeptEntryId: first.id,
    ...(previous?.type === "compaction" ? { previous } : {})
  })
}
