/** What of a branch is conversation (protocol.md 9.5): its messages, compactions applied. */
import type { AgentMessage } from "./Message.ts"
import type { SessionEntry } from "./SessionEntry.ts"

/** The message an entry puts into the conversation, if it puts one there. */
export const messageOf = (entry: SessionEntry): AgentMessage | undefined => {
  switch (entry.type) {
    case "message":
      return entry.message
    case "custom_message": {
      const { content, customType, details, display } = entry
      const timestamp = Date.parse(entry.timestamp)
      const extra = details === undefined ? {} : { details }
      return { role: "custom", customType, content, display, ...extra, timestamp }
    }
    case "branch_summary":
      return {
        role: "branchSummary",
        summary: entry.summary,
        fromId: entry.fromId,
        timestamp: Date.parse(entry.timestamp)
      }
    case "compaction": {
      const short = entry.shortSummary === undefined ? {} : { shortSummary: entry.shortSummary }
      return {
        role: "compactionSummary",
        summary: entry.summary,
        ...short,
        tokensBefore: entry.tokensBefore,
        timestamp: Date.parse(entry.timestamp)
      }
    }
    default:
      return undefined
  }
}

/** The summary of the newest compaction comes first, then what it kept, then what came after it. */
export const conversation = (branch: ReadonlyArray<SessionEntry>): Array<AgentMessage> => {
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const compaction = branch[at]
  if (compaction?.type !== "compaction") return messagesOf(branch)
  const kept = branch.slice(0, at)
  const from = kept.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  return messagesOf([compaction, ...(from < 0 ? [] : kept.slice(from)), ...branch.slice(at + 1)])
}

/** An older compaction inside what a newer one kept says nothing new. */
const messagesOf = (entries: ReadonlyArray<SessionEntry>): Array<AgentMessage> =>
  entries.flatMap((entry, position) => {
    const message = entry.type === "compaction" && position > 0 ? undefined : messageOf(entry)
    return message === undefined ? [] : [message]
  })
