/** The entries of one session as a tree that only grows. Its maker owns it. Appending takes constant time. */
import * as Option from "effect/Option"
import type { AgentMessage } from "../conversation/Message.ts"
import * as QueueEntries from "./QueueEntries.ts"
import * as SessionContext from "./SessionContext.ts"
import type { SessionEntry } from "./SessionEntry.ts"

export type LabelEntry = Extract<SessionEntry, { readonly type: "label" }>

/** The label entry in force for each labelled entry: the newest one counts, and one without text removes the label. */
export const labels = (entries: ReadonlyArray<SessionEntry>): ReadonlyMap<string, LabelEntry> => {
  const found = new Map<string, LabelEntry>()
  for (const entry of entries) {
    if (entry.type !== "label") continue
    if (entry.label === undefined) found.delete(entry.targetId)
    else found.set(entry.targetId, entry)
  }
  return found
}

/**
 * The initial entries of a branched session (protocol.md 9.6): the path with its ids, then the labels that its entries
 * have elsewhere in the tree. Such a label entry keeps its id and gets another parent.
 */
export const copyPath = (
  path: ReadonlyArray<SessionEntry>,
  entries: ReadonlyArray<SessionEntry>
): ReadonlyArray<SessionEntry> => {
  const copied = QueueEntries.without(path).slice()
  const ids = new Set(copied.map(({ id }) => id))
  for (const label of labels(entries).values()) {
    if (!ids.has(label.targetId) || ids.has(label.id)) continue
    copied.push({ ...label, parentId: copied.at(-1)?.id ?? null })
  }
  return copied
}

export type SessionTree = ReturnType<typeof make>

/** Takes entries in the order in which they were appended, parents first. The last one is the leaf, or its parent if it is a queue entry. */
export const make = (initial: ReadonlyArray<SessionEntry>) => {
  const entries: Array<SessionEntry> = []
  const byId = new Map<string, SessionEntry>()
  let leaf: string | null = null
  let name = Option.none<string>()
  let conversation: SessionContext.Conversation | undefined

  const add = (entry: SessionEntry) => {
    entries.push(entry)
    byId.set(entry.id, entry)
    if (!QueueEntries.isQueueEntry(entry)) leaf = entry.id
    else if (entry.parentId === null || byId.has(entry.parentId)) leaf = entry.parentId
    if (entry.type === "session_info") name = Option.some(entry.name)
  }
  for (const entry of initial) add(entry)

  const branch = (from: string | null = leaf): Array<SessionEntry> => {
    const path: Array<SessionEntry> = []
    const seen = new Set<string>()
    // The parents in a damaged file may form a circle.
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

  /** Appending extends it; a compaction, an edit or a move reads it again. */
  const read = () => (conversation ??= SessionContext.read(branch()))

  return {
    entries,
    has: (id: string) => byId.has(id),
    get: (id: string) => byId.get(id),
    leafId: () => leaf,
    name: () => name,
    branch,
    tail,
    conversation: (): ReadonlyArray<AgentMessage> => read().messages,
    betweenAttempts: (): ReadonlySet<AgentMessage> => read().between,
    append: (entry: SessionEntry) => {
      add(entry)
      if (SessionContext.changesPast(entry)) conversation = undefined
      if (conversation !== undefined) SessionContext.extend(conversation, entry)
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
