/** What a new session begins with that goes on from a point of another one (protocol.md 9.6). */
import * as Labels from "./Labels.ts"
import type { SessionEntry } from "./SessionEntry.ts"

/**
 * The path as it is, ids included, and behind it the labels of its entries that were given elsewhere in the tree. Such
 * a label entry keeps its id and only gets another parent.
 */
export const copy = (
  path: ReadonlyArray<SessionEntry>,
  entries: ReadonlyArray<SessionEntry>
): ReadonlyArray<SessionEntry> => {
  const ids = new Set(path.map(({ id }) => id))
  const copied = path.slice()
  for (const label of Labels.current(entries).values()) {
    if (!ids.has(label.targetId) || ids.has(label.id)) continue
    copied.push({ ...label, parentId: copied.at(-1)?.id ?? null })
  }
  return copied
}
