/** What sessions have spent, in the form that results of tasks report it. */
import * as Ledger from "../../../domain/session/Ledger.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import * as Usage from "../../../domain/model/Usage.ts"

export interface Spending {
  readonly usage: Usage.Usage
  /** Without the time, which passed while the parent ran. */
  readonly work: Usage.Work
}

export const nothing: Spending = { usage: Usage.zero, work: { toolCalls: 0, subagents: 0, turns: 0 } }

export const of = (entries: ReadonlyArray<SessionEntry>): Spending => {
  const { subagents, toolCalls, turns } = Ledger.total(entries)
  return { usage: Ledger.usage(entries), work: { toolCalls, subagents, turns } }
}

export const add = (one: Spending, other: Spending): Spending => ({
  usage: Usage.add(one.usage, other.usage),
  work: {
    toolCalls: one.work.toolCalls + other.work.toolCalls,
    subagents: one.work.subagents + other.work.subagents,
    turns: one.work.turns + other.work.turns
  }
})
