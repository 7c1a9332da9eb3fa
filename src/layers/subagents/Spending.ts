/** What a session has spent, in the form that results of tasks report it. */
import type * as Ledger from "../../domain/session/Ledger.ts"
import type { Usage, Work } from "../../domain/model/Usage.ts"

export const usageOf = ({ cost, tokens }: Ledger.Spent): Usage => {
  const { cacheRead, cacheWrite, input, output, total } = tokens
  const priced = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost }
  return { input, output, cacheRead, cacheWrite, totalTokens: total, cost: priced }
}

/** Without its time, which passed while its parent ran. */
export const workOf = ({ subagents, toolCalls, turns }: Ledger.Spent): Work => ({ toolCalls, subagents, turns })
