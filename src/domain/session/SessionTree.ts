/** The entries of one session as a tree that only grows. Owned by whoever made it; appending costs the same always. */
import * as Option from "effect/Option"
import type { AgentMessage } from "../conversation/Message.ts"
import * as SessionContext from "./SessionContext.ts"
import type { SessionEntry } from "./SessionEntry.ts"

export type SessionTree = ReturnType<typeof make>

/** Entries come parents first, as they were appended; the leaf is the last of them. */
export const make = (initial: ReadonlyArray<SessionEntry>) => {
  const entries: Array<SessionEntry> = []
  const byId = new Map<string, SessionEntry>()
  let leaf: string | null = null
  let name = Option.none<string>()
  let conversation: Array<AgentMessage> | undefined

  const add = (entry: SessionEntry) => {
    entries.push(entry)
    byId.set(entry.id, entry)
    leaf = entry.id
    if (entry.type === "session_info") name = Option.some(entry.name)
  }
  for (const entry of initial) add(entry)

  const branch = (from: string | null = leaf): Array<SessionEntry> => {
    const path: Array<SessionEntry> = []
    const seen = new Set<string>()
    // A damaged file may point in a circle.
    for (let at = from; at !== null && !seen.has(at);) {
      seen.add(at)
      const entry = byId.get(at)
      if (entry === undefined) break
      path.push(entry)
      at = entry.parentId
    }
    return path.reverse()
  }

  const tail = (fits: (entry: SessionEntry) => boolean): Array<SessionEntry> => {
    const path: Array<SessionEntry> = []
    let entry = leaf === null ? undefined : byId.get(leaf)
    while (entry !== undefined && path.length < entries.length) {
      path.push(entry)
      if (fits(entry) || entry.parentId === null) break
      entry = byId.get(entry.parentId)
    }
    return path.reverse()
  }

  return {
    /** In the order in which they were appended. */
    entries,
    has: (id: string) => byId.has(id),
    get: (id: string) => byId.get(id),
    leafId: () => leaf,
    name: () => name,
    branch,
    tail,
    /** Kept up to date by appending; made anew after a compaction, an edit or a move. */
    conversation: (): ReadonlyArray<AgentMessage> => (conversation ??= SessionContext.conversation(branch())),
    append: (entry: SessionEntry) => {
      add(entry)
      if (SessionContext.changesPast(entry)) conversation = undefined
      const message = conversation === undefined ? undefined : SessionContext.messageOf(entry)
      if (message !== undefined) conversation?.push(message)
    },
    /** False when there is no such entry. */
    moveTo: (id: string | null) => {
      if (id !== null && !byId.has(id)) return false
      leaf = id
      conversation = undefined
      return true
    }
  }
}
