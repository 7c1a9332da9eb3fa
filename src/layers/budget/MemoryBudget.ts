/** Counts in memory what each session spends; what it has spent before is read from its entries. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BudgetLimits, change } from "../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import * as Ledger from "../../domain/session/Ledger.ts"
import { Budget } from "../../services/Budget.ts"
import { Session } from "../../services/session/Session.ts"
import type { SettingsValues } from "../../services/Settings.ts"
import * as Stopwatch from "../../services/Stopwatch.ts"
import * as BudgetTree from "./BudgetTree.ts"

export type { BudgetLimits } from "../../domain/budget/BudgetLimits.ts"

export const ofSettings = (settings: SettingsValues): BudgetLimits =>
  change(
    {},
    {
      maxWallTimeMs: settings["task.budget.maxWallTimeMs"] ?? null,
      maxInputTokens: settings["task.budget.maxInputTokens"] ?? null,
      maxOutputTokens: settings["task.budget.maxOutputTokens"] ?? null,
      maxTotalTokens: settings["task.budget.maxTotalTokens"] ?? null,
      maxCostUsd: settings["task.budget.maxCostUsd"] ?? null,
      maxToolCalls: settings["task.budget.maxToolCalls"] ?? null,
      maxSubagents: settings["task.budget.maxSubagents"] ?? null,
      maxTurns: settings["task.budget.maxTurns"] ?? null,
      warnAtRatio: settings["task.budget.warnAtRatio"]
    }
  )

/** `fixed` limits hold in place of the others, and can only be tightened. Limits that are set stay for later sessions. */
export const make = (limits: BudgetLimits, fixed: BudgetLimits = {}) => {
  let current = change(limits, fixed)
  return Budget.of({
    open: (publish) =>
      Effect.gen(function* () {
        const { entries } = yield* Session
        const clock = yield* Effect.clock
        return BudgetTree.make({
          limits: current,
          fixed,
          publish,
          ticks: () => Stopwatch.read(clock),
          before: Effect.map(entries, (all) => Counters.ofLedger(Ledger.total(all))),
          changed: (changed) => void (current = changed)
        })
      })
  })
}

export const layer = (limits: BudgetLimits, fixed?: BudgetLimits) => Layer.sync(Budget, () => make(limits, fixed))
