/**
 * The initial entries of a session that continues another one by a handoff: the settings in force and the messages that
 * the compaction keeps. The compaction entry follows them, as in the old session. Pure.
 */
import * as Ledger from "./Ledger.ts"
import type { ModelName } from "./SessionSettings.ts"
import { settingsOf } from "./SessionSettings.ts"
import { isQueueEntry } from "./QueueEntries.ts"
import { type NewEntry, placedAt, type SessionEntry } from "./SessionEntry.ts"
import * as Usage from "../model/Usage.ts"

/** The new summary includes the older ones, and one `usage` entry carries over the sum of all earlier costs. */
const staysBehind = ({ type }: SessionEntry) => type === "compaction" || type === "usage"

export const kept = (branch: ReadonlyArray<SessionEntry>, firstKeptEntryId: string): ReadonlyArray<SessionEntry> => {
  const from = branch.findIndex(({ id }) => id === firstKeptEntryId)
  return from < 0 ? [] : branch.slice(from).filter((entry) => !staysBehind(entry))
}

/** What the old session has spent without the copied entries, which the new ledger counts by itself. */
const spentBefore = (all: ReadonlyArray<SessionEntry>, copied: ReadonlyArray<SessionEntry>) => {
  const [before, again] = [Ledger.total(all), Ledger.total(copied)]
  const usage = Usage.subtract(Ledger.usage(all), Ledger.usage(copied))
  const wallTimeMs = before.wallTimeMs - again.wallTimeMs
  const spent: Usage.Work = {
    toolCalls: before.toolCalls - again.toolCalls,
    subagents: before.subagents - again.subagents,
    turns: before.turns - again.turns,
    ...(wallTimeMs > 0 ? { wallTimeMs } : {})
  }
  const isNothing = usage.totalTokens === 0 && usage.cost.total === 0 && spent.toolCalls === 0 && spent.turns === 0
  return isNothing ? undefined : { usage, spent }
}

export interface Left {
  readonly entries: ReadonlyArray<SessionEntry>
  readonly branch: ReadonlyArray<SessionEntry>
  readonly copied: ReadonlyArray<SessionEntry>
  readonly name: string | undefined
}

/** Comes before the copied entries, so that their own changes override it. */
export const inForce = ({ branch, copied, entries, name }: Left, { modelId, provider }: ModelName) => {
  const { model, thinkingLevel } = settingsOf(branch)
  const before = spentBefore(entries, copied)
  const found: Array<NewEntry> = []
  if (before !== undefined) found.push({ type: "usage", source: "handoff", provider, model: modelId, ...before })
  if (name !== undefined) found.push({ type: "session_info", name })
  if (model !== undefined) found.push({ type: "model_change", ...model })
  if (thinkingLevel !== undefined) found.push({ type: "thinking_level_change", thinkingLevel })
  return found
}

/** Makes each entry the child of the one before it that can be on a branch; the first one the child of `from`. */
export const chain = (
  entries: ReadonlyArray<SessionEntry>,
  from: string | null = null
): ReadonlyArray<SessionEntry> => {
  let parentId = from
  return entries.map((entry): SessionEntry => {
    const placed = placedAt(entry, parentId)
    if (!isQueueEntry(entry)) parentId = entry.id
    return placed
  })
}
