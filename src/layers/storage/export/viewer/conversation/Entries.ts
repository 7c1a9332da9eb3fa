/** The entries of a session as a tree. Gives every entry a unique id and rules out circles, whatever the file holds. */
import { isRecord, type JsonRecord, list, number, record, text } from "../text/Json.ts"

export interface Entry {
  readonly id: string
  readonly parentId: string | null
  readonly type: string
  /** Unix milliseconds; 0 if unknown. */
  readonly time: number
  readonly raw: JsonRecord
}

export interface SessionData {
  readonly header: JsonRecord
  readonly entries: ReadonlyArray<Entry>
  readonly leafId: string | null
  readonly systemPrompt: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

const timeOf = (raw: JsonRecord): number => {
  const parsed = Date.parse(text(raw["timestamp"]))
  return Number.isFinite(parsed) ? parsed : number(record(raw["message"])["timestamp"])
}

/** Ignores a parent that is unknown or comes later. In files of version 1, without ids, the line before is the parent. */
const toEntries = (raws: ReadonlyArray<unknown>): ReadonlyArray<Entry> => {
  const seen = new Set<string>()
  const entries: Array<Entry> = []
  for (const raw of raws) {
    if (!isRecord(raw)) continue
    const given = text(raw["id"])
    const id = given === "" || seen.has(given) ? `entry-${entries.length + 1}-${given}` : given
    const parent = raw["parentId"]
    const before = entries.at(-1)?.id ?? null
    const parentId = parent === undefined ? before : typeof parent === "string" && seen.has(parent) ? parent : null
    seen.add(id)
    entries.push({ id, parentId, type: text(raw["type"]), time: timeOf(raw), raw })
  }
  return entries
}

export const read = (data: unknown): SessionData => {
  const { entries: raws, header, leafId, systemPrompt, tools } = record(data)
  const entries = toEntries(list(raws))
  const known = entries.some(({ id }) => id === leafId)
  return {
    header: record(header),
    entries,
    leafId: known ? text(leafId) : leafId === null ? null : (entries.at(-1)?.id ?? null),
    systemPrompt: text(systemPrompt),
    tools: list(tools)
      .filter(isRecord)
      .map(({ description, name }) => ({ name: text(name), description: text(description) }))
  }
}

export type Tree = ReturnType<typeof makeTree>

export const makeTree = (entries: ReadonlyArray<Entry>) => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const children = new Map<string | null, Array<Entry>>()
  for (const entry of entries) {
    const siblings = children.get(entry.parentId)
    if (siblings === undefined) children.set(entry.parentId, [entry])
    else siblings.push(entry)
  }
  const childrenOf = (id: string | null): ReadonlyArray<Entry> => children.get(id) ?? []

  /** Follows the newest branch through an entry down to its leaf. */
  const down = (id: string): ReadonlyArray<string> => {
    const found = [id]
    for (let next = childrenOf(id).at(-1); next !== undefined; next = childrenOf(next.id).at(-1)) found.push(next.id)
    return found
  }

  return {
    entries,
    get: (id: string) => byId.get(id),
    childrenOf,
    /** The entries that are not on a branch, in stretches: each belongs to the newest branch through its first entry. */
    stretchesOff: (branch: ReadonlySet<string>): ReadonlyArray<ReadonlyArray<Entry>> =>
      entries
        .filter(({ id, parentId }) => {
          const isOff = parentId === null || branch.has(parentId) || childrenOf(parentId).at(-1)?.id !== id
          return isOff && !branch.has(id)
        })
        .map(({ id }) => down(id).flatMap((each) => byId.get(each) ?? [])),
    path: (id: string | null): ReadonlyArray<Entry> => {
      const found: Array<Entry> = []
      for (let at = id === null ? undefined : byId.get(id); at !== undefined;) {
        found.push(at)
        at = at.parentId === null ? undefined : byId.get(at.parentId)
      }
      return found.reverse()
    },
    /** The leaf of the newest branch through an entry. */
    leafBelow: (id: string): string => down(id).at(-1) ?? id
  }
}
