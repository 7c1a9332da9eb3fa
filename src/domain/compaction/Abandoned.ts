/** The part of a branch that a session leaves when it moves to another entry (protocol.md 9.5). Pure. */
import * as ContextTokens from "./ContextTokens.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

/** The entries of `from` that `to` does not share. Both are paths from the root to a leaf. */
export const entries = (
  from: ReadonlyArray<SessionEntry>,
  to: ReadonlyArray<SessionEntry>
): ReadonlyArray<SessionEntry> => {
  let shared = 0
  while (shared < from.length && from[shared]?.id === to[shared]?.id) shared++
  return from.slice(shared)
}

/** The newest messages of the abandoned entries that fit into `maxTokens`, summaries included. */
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

/** The details, with file lists, of the summaries among the abandoned entries. */
export const details = (left: ReadonlyArray<SessionEntry>) =>
  left.flatMap((entry) => (entry.type === "compaction" || entry.type === "branch_summary" ? [entry.details] : []))
