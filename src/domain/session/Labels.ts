/** Names that people give to entries. The newest one of an entry counts; one without text takes the name away. */
import type { SessionEntry } from "./SessionEntry.ts"

export type LabelEntry = Extract<SessionEntry, { readonly type: "label" }>

/** The entry that names each target, as things stand after all of these. */
export const current = (entries: ReadonlyArray<SessionEntry>): ReadonlyMap<string, LabelEntry> => {
  const labels = new Map<string, LabelEntry>()
  for (const entry of entries) {
    if (entry.type !== "label") continue
    if (entry.label === undefined) labels.delete(entry.targetId)
    else labels.set(entry.targetId, entry)
  }
  return labels
}
