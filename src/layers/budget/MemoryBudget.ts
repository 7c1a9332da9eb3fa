/** Counts in memory what each session spends, and compares it with limits that are the same for all of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "../../domain/session/Ledger.ts"
import { Budget, BudgetExceeded, type BudgetReason, type SessionBudget } from "../../services/Budget.ts"
import { Session } from "../../services/session/Session.ts"

/** A dimension that is not named is unlimited. */
export type BudgetLimits = Partial<Record<BudgetReason, number>>

const reasons: ReadonlyArray<BudgetReason> = ["input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls"]

type Counters = Record<BudgetReason, number>

const counters = ({ cost, tokens, toolCalls }: Ledger.Spent): Counters => ({
  input_tokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
  output_tokens: tokens.output,
  total_tokens: tokens.total,
  cost,
  tool_calls: toolCalls
})

/** Without limits nothing has to be counted: every model call and every tool call asks. */
const unlimited: SessionBudget = {
  check: Effect.void,
  recordUsage: () => Effect.void,
  recordToolCall: Effect.void
}

/** `before` reads what the session has spent earlier. That takes a while in a long one, so the first check asks for it. */
const limited = (limits: BudgetLimits, before: Effect.Effect<Ledger.Spent>): SessionBudget => {
  let spent: Counters | undefined
  const begun = Effect.suspend(() =>
    spent === undefined ? Effect.map(before, (earlier) => (spent ??= counters(earlier))) : Effect.succeed(spent)
  )
  const change = (by: (now: Counters) => Counters) =>
    Effect.map(begun, () => {
      // Read again: another call may have been counted while the session was read.
      if (spent !== undefined) spent = by(spent)
    })
  const check = Effect.flatMap(begun, (now) => {
    for (const reason of reasons) {
      const limit = limits[reason]
      if (limit !== undefined && now[reason] > limit) {
        return new BudgetExceeded({ reason, limit, spent: now[reason] })
      }
    }
    return Effect.void
  })
  return {
    check,
    recordUsage: (usage) =>
      change((now) => ({
        ...now,
        input_tokens: now.input_tokens + usage.input + usage.cacheRead + usage.cacheWrite,
        output_tokens: now.output_tokens + usage.output,
        total_tokens: now.total_tokens + usage.totalTokens,
        cost: now.cost + usage.cost.total
      })),
    recordToolCall: change((now) => ({ ...now, tool_calls: now.tool_calls + 1 }))
  }
}

export const make = (limits: BudgetLimits) =>
  Budget.of({
    open: Effect.map(Session, ({ entries }) =>
      Object.keys(limits).length === 0 ? unlimited : limited(limits, Effect.map(entries, Ledger.total))
    )
  })

export const layer = (limits: BudgetLimits) => Layer.sync(Budget, () => make(limits))
