/** Counts what a session spends and compares it with limits that are fixed when it starts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budget, BudgetExceeded, type BudgetReason } from "../../services/Budget.ts"

/** A dimension that is not named is unlimited. */
export type BudgetLimits = Partial<Record<BudgetReason, number>>

const nothing: Readonly<Record<BudgetReason, number>> = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost: 0,
  tool_calls: 0
}

const reasons: ReadonlyArray<BudgetReason> = ["input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls"]

const build = (limits: BudgetLimits) => {
  let spent = nothing
  const check = Effect.suspend(() => {
    for (const reason of reasons) {
      const limit = limits[reason]
      if (limit !== undefined && spent[reason] > limit) {
        return new BudgetExceeded({ reason, limit, spent: spent[reason] })
      }
    }
    return Effect.void
  })
  return Budget.of({
    check,
    recordUsage: (usage) =>
      Effect.sync(() => {
        spent = {
          ...spent,
          input_tokens: spent.input_tokens + usage.input + usage.cacheRead + usage.cacheWrite,
          output_tokens: spent.output_tokens + usage.output,
          total_tokens: spent.total_tokens + usage.totalTokens,
          cost: spent.cost + usage.cost.total
        }
      }),
    recordToolCall: Effect.sync(() => {
      spent = { ...spent, tool_calls: spent.tool_calls + 1 }
    }),
    begin: ({ cost, tokens, toolCalls }) =>
      Effect.sync(() => {
        spent = {
          input_tokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
          output_tokens: tokens.output,
          total_tokens: tokens.total,
          cost,
          tool_calls: toolCalls
        }
      })
  })
}

export const make = (limits: BudgetLimits) => Effect.sync(() => build(limits))

export const layer = (limits: BudgetLimits) => Layer.effect(Budget, make(limits))
