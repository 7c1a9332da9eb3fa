/** Cuts a conversation into the parts that hosts ask for. */
import type { AgentMessage } from "./Message.ts"
import * as SessionContext from "../session/SessionContext.ts"
import type { SessionEntry } from "../session/SessionEntry.ts"

const isMessage = (entry: SessionEntry) => entry.type !== "compaction" && SessionContext.messageOf(entry) !== undefined

/** The messages after an entry of the branch, including summaries that were written after it. */
export const after = (branch: ReadonlyArray<SessionEntry>, position: number): ReadonlyArray<AgentMessage> => {
  const all = SessionContext.conversation(branch)
  const own = branch.slice(position + 1).filter(isMessage).length
  const from = Math.max(0, all.length - own)
  const compacted = branch.findLastIndex(({ type }) => type === "compaction")
  return position < compacted ? [...all.slice(0, 1), ...all.slice(Math.max(1, from))] : all.slice(from)
}

/** The end of the page that starts at `from`: before the message that would make it too large, but after at least one. */
export const endOfPage = (
  messages: ReadonlyArray<AgentMessage>,
  from: number,
  limits: { readonly count: number; readonly bytes: number },
  size: (message: AgentMessage) => number
): number => {
  let [end, bytes] = [from, 0]
  for (const message of messages.slice(from, from + limits.count)) {
    bytes += size(message)
    if (bytes > limits.bytes && end > from) break
    end++
  }
  return end
}
