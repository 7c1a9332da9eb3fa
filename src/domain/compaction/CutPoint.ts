/** Where a conversation is cut in two: what is summarised, and what stays as it was said (protocol.md 7.3). Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

export interface Cut {
  /** The first entry that stays. */
  readonly firstKept: number
  /** The message at which it was cut; entries between the two put nothing into the conversation. */
  readonly message: number
  /** Where the turn of that message begins; the message itself unless the cut goes through a turn. */
  readonly turnStart: number
}

/** The message of an entry; an older compaction is no part of what is said. */
export const messageAt = (entries: ReadonlyArray<SessionEntry>, at: number): AgentMessage | undefined => {
  const entry = entries[at]
  return entry === undefined || entry.type === "compaction" ? undefined : SessionContext.messageOf(entry)
}

/** Results belong to the calls before them. */
const canCut = (message: AgentMessage | undefined) => message !== undefined && message.role !== "toolResult"

const beginsTurn = (message: AgentMessage | undefined) => canCut(message) && message?.role !== "assistant"

/** Where, counted from the newest message, `keep` tokens are reached. */
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

/** Undefined when nothing can be cut off. */
export const find = (entries: ReadonlyArray<SessionEntry>, start: number, keep: number): Cut | undefined => {
  const last = entries.length - 1
  const reached = reach(entries, start, keep)
  if (reached === undefined) return undefined
  const fits = (at: number) => canCut(messageAt(entries, at))
  // A long result at the very end can only stay together with its call.
  const message = search(reached, last, 1, fits) ?? search(reached - 1, start, -1, fits)
  if (message === undefined) return undefined
  const isSaid = (at: number) => entries[at]?.type === "compaction" || messageAt(entries, at) !== undefined
  const before = search(message - 1, start, -1, isSaid)
  const turnStart = search(message, start, -1, (at) => beginsTurn(messageAt(entries, at)))
  return { firstKept: (before ?? start - 1) + 1, message, turnStart: turnStart ?? message }
}
