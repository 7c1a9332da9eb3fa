/** Budgets that count nothing. */
import { Effect } from "effect"
import { BudgetExceeded, type BudgetReason, type SessionBudget } from "../../../src/services/session/modules/Budget.ts"

const snapshot = {
  status: "ok" as const,
  wallTimeMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  costUsd: 0,
  toolCalls: 0,
  subagents: 0,
  turns: 0
}

/** Everything is allowed. */
export const unlimited: SessionBudget = {
  isLimited: () => false,
  check: Effect.void,
  checkModel: () => Effect.void,
  mayPrompt: Effect.succeed(true),
  mayCall: Effect.succeed(true),
  modelCall: () => Effect.succeed({ settle: () => Effect.void, release: () => {} }),
  toolCall: Effect.void,
  subagent: Effect.void,
  recordUsage: () => Effect.void,
  doubt: () => {},
  whileRunning: (effect) => effect,
  child: () => Effect.succeed(unlimited),
  snapshot: Effect.succeed(snapshot),
  scopes: Effect.succeed([]),
  limits: Effect.succeed({}),
  setLimits: () => Effect.void
}

/** Nothing is allowed. */
export const spent = (reason: BudgetReason): SessionBudget => {
  const refused = new BudgetExceeded({ reason, limit: 1, spent: 2 })
  return {
    ...unlimited,
    isLimited: () => true,
    check: refused,
    mayPrompt: Effect.succeed(false),
    mayCall: Effect.succeed(false),
    modelCall: () => refused,
    toolCall: refused,
    subagent: refused,
    child: () => Effect.succeed(spent(reason)),
    snapshot: Effect.succeed({ ...snapshot, status: "exceeded", reason })
  }
}
