/** Counts what a session spends and compares it with limits that are fixed when it starts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { Budget, BudgetExceeded, type BudgetReason } from "../../services/Budget.ts"

/** A dimension that is not named is unlimited. */
export type BudgetLimits = Partial<Record<BudgetReason, number>>

const nothing: Record<BudgetReason, number> = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost: 0,
  tool_calls: 0
}

const reasons: ReadonlyArray<BudgetReason> = ["input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls"]

export const make = Effect.fnUntraced(function* (limits: BudgetLimits) {
  const spent = yield* Ref.make(nothing)
  const check = Effect.gen(function* () {
    const now = yield* Ref.get(spent)
    for (const reason of reasons) {
      const limit = limits[reason]
      if (limit !== undefined && now[reason] > limit) {
        return yield* new BudgetExceeded({ reason, limit, spent: now[reason] })
      }
    }
  })
  return Budget.of({
    check,
    recordUsage: (usage) =>
      Ref.update(spent, (now) => ({
        ...now,
        input_tokens: now.input_tokens + usage.input + usage.cacheRead + usage.cacheWrite,
        output_tokens: now.output_tokens + usage.output,
        total_tokens: now.total_tokens + usage.totalTokens,
        cost: now.cost + usage.cost.total
      })),
    recordToolCall: Ref.update(spent, (now) => ({ ...now, tool_calls: now.tool_calls + 1 })),
    begin: ({ cost, tokens, toolCalls }) =>
      Ref.set(spent, {
        input_tokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
        output_tokens: tokens.output,
        total_tokens: tokens.total,
        cost,
        tool_calls: toolCalls
      })
  })
})

export const layer = (limits: BudgetLimits) => Layer.effect(Budget, make(limits))
