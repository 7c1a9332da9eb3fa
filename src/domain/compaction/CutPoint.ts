/** Finds the cut: messages before it are summarised, messages from it on are kept (protocol.md 7.3). Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

export interface Cut {
  readonly firstKept: number
  /** Index of the first message that is kept. The entries between the two are not part of the conversation. */
  readonly message: number
  /** Index of the message that starts the turn; equal to `message` unless the cut divides a turn. */
  readonly turnStart: number
}

/** The message of an entry. The summary of an older compaction does not count. */
export const messageAt = (entries: ReadonlyArray<SessionEntry>, at: number): AgentMessage | undefined => {
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
export const find = (entries: ReadonlyArray<SessionEntry>, start: number, keep: number): Cut | undefined => {
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
