/**
 * What a session begins with that goes on for another one: the part of the conversation that a compaction keeps, and
 * what was in force. The compaction itself stands behind it, as it would in the old session. Pure.
 */
import * as Ledger from "./Ledger.ts"
import type { ModelName } from "./SessionSettings.ts"
import { settingsOf } from "./SessionSettings.ts"
import type { NewEntry, SessionEntry } from "./SessionEntry.ts"
import type { Usage } from "../model/Usage.ts"

/** Older summaries are part of the new one, and what was spent is carried over as a sum. */
const staysBehind = ({ type }: SessionEntry) => type === "compaction" || type === "usage"

export const kept = (branch: ReadonlyArray<SessionEntry>, firstKeptEntryId: string): ReadonlyArray<SessionEntry> => {
  const from = branch.findIndex(({ id }) => id === firstKeptEntryId)
  return from < 0 ? [] : branch.slice(from).filter((entry) => !staysBehind(entry))
}

/** Ledgers are sums over entries; those that are copied count again by themselves. */
const spentBefore = (all: ReadonlyArray<SessionEntry>, copied: ReadonlyArray<SessionEntry>): Usage | undefined => {
  const [before, again] = [Ledger.total(all), Ledger.total(copied)]
  const left = (name: "input" | "output" | "cacheRead" | "cacheWrite") => before.tokens[name] - again.tokens[name]
  const totalTokens = before.tokens.total - again.tokens.total
  const total = before.cost - again.cost
  if (totalTokens === 0 && total === 0) return undefined
  const [input, output, cacheRead, cacheWrite] = [left("input"), left("output"), left("cacheRead"), left("cacheWrite")]
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total }
  return { input, output, cacheRead, cacheWrite, totalTokens, cost }
}

export interface Left {
  /** Everything that the old session holds. */
  readonly entries: ReadonlyArray<SessionEntry>
  readonly branch: ReadonlyArray<SessionEntry>
  readonly copied: ReadonlyArray<SessionEntry>
  readonly name: string | undefined
}

/** Stands before what is copied, whose own changes then count. */
export const inForce = ({ branch, copied, entries, name }: Left, { modelId, provider }: ModelName) => {
  const { model, thinkingLevel } = settingsOf(branch)
  const usage = spentBefore(entries, copied)
  const found: Array<NewEntry> = []
  if (usage !== undefined) found.push({ type: "usage", source: "handoff", provider, model: modelId, usage })
  if (name !== undefined) found.push({ type: "session_info", name })
  if (model !== undefined) found.push({ type: "model_change", ...model })
  if (thinkingLevel !== undefined) found.push({ type: "thinking_level_change", thinkingLevel })
  return found
}

/** Each below the one before it; ids stay. */
export const chain = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<SessionEntry> => {
  let parentId: string | null = null
  return entries.map((entry): SessionEntry => {
    const placed = { parentId }
    parentId = entry.id
    if (entry.type === "foreign") return { ...entry, ...placed, raw: { ...entry.raw, ...placed } }
    if (entry.original === undefined) return { ...entry, ...placed }
    return { ...entry, ...placed, original: { ...entry.original, ...placed } }
  })
}
