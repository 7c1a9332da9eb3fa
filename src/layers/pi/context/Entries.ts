/** Session entries as extensions see them: pi's shape, and copies that they may change. */
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import { type SessionEntry, toJson } from "../../../domain/session/SessionEntry.ts"
import type { Shared } from "../instance/Instance.ts"
import { copyOf, isRecord } from "../instance/Values.ts"

/** pi calls the mark of summaries that came from an extension `fromHook`. */
const inPiShape = (entry: SessionEntry): object => {
  const copy = copyOf(toJson(entry))
  if (!isRecord(copy)) return {}
  return copy["fromExtension"] === true ? { ...copy, fromHook: true } : copy
}

export const one = ({ entries }: Shared, entry: SessionEntry): object => {
  const known = entries.get(entry)
  if (known !== undefined) return known
  const copy = inPiShape(entry)
  entries.set(entry, copy)
  return copy
}

/** Without the entries that keep heddle's own queue. */
export const all = (shared: Shared, entries: ReadonlyArray<SessionEntry>): Array<object> =>
  QueueEntries.without(entries).map((entry) => one(shared, entry))
