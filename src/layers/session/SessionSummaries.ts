/** What a list of sessions says about each of them, from its entries. Pure. */
import * as Option from "effect/Option"
import { plainText } from "../../domain/Content.ts"
import type { AgentMessage } from "../../domain/Message.ts"
import type { SessionEntry } from "../../domain/SessionEntry.ts"
import type { SessionSummary, StoredSession } from "../../services/SessionStore.ts"

const longestText = 200

const messagesOf = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<AgentMessage> =>
  entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))

const nameOf = (entries: ReadonlyArray<SessionEntry>): string | undefined => {
  const last = entries.findLast(({ type }) => type === "session_info")
  return last?.type === "session_info" ? last.name : undefined
}

export const summary = ({ entries, file, header }: StoredSession): SessionSummary => {
  const messages = messagesOf(entries)
  const first = messages.find((message) => message.role === "user")
  const newest = entries.at(-1)?.timestamp ?? ""
  return {
    sessionId: header.id,
    file,
    cwd: header.cwd,
    name: Option.fromNullable(nameOf(entries) ?? header.title),
    createdAt: header.timestamp,
    // A copy is younger than its entries.
    updatedAt: newest > header.timestamp ? newest : header.timestamp,
    messageCount: messages.length,
    firstMessage: first === undefined ? "" : plainText(first.content).slice(0, longestText)
  }
}

export const newestFirst = (summaries: ReadonlyArray<SessionSummary>): ReadonlyArray<SessionSummary> =>
  summaries.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
