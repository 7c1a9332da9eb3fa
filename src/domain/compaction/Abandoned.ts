/** What is left behind when a session goes on from an earlier point (protocol.md 9.5). Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

/** The entries of `from` that are not on the way to `to`; both root to leaf. */
export const entries = (
  from: ReadonlyArray<SessionEntry>,
  to: ReadonlyArray<SessionEntry>
): ReadonlyArray<SessionEntry> => {
  let shared = 0
  while (shared < from.length && from[shared]?.id === to[shared]?.id) shared++
  return from.slice(shared)
}

/** What they say, as much of the end as fits; earlier summaries count as said. */
export const messages = (left: ReadonlyArray<SessionEntry>, maxTokens: number): ReadonlyArray<AgentMessage> => {
  const kept: Array<AgentMessage> = []
  let tokens = 0
  for (let at = left.length - 1; at >= 0; at--) {
    const entry = left[at]
    const message = entry === undefined ? undefined : SessionContext.messageOf(entry)
    if (message === undefined) continue
    tokens += ContextTokens.estimate(message)
    if (tokens > maxTokens && kept.length > 0) break
    kept.push(message)
  }
  return kept.reverse()
}

/** The file lists of the summaries among them. */
export const details = (left: ReadonlyArray<SessionEntry>) =>
  left.flatMap((entry) => (entry.type === "compaction" || entry.type === "branch_summary" ? [entry.details] : []))
