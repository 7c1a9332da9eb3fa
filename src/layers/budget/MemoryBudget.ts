/** Counts what a session spends and compares it with limits that are fixed when it starts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

export const make = (limits: BudgetLimits) =>
  Effect.sync(() => {
    let spent = nothing
    const exceeded = () => reasons.find((reason) => spent[reason] > (limits[reason] ?? Number.POSITIVE_INFINITY))
    const add = (more: Partial<Record<BudgetReason, number>>) =>
      Effect.sync(() => {
        const sum = { ...spent }
        for (const reason of reasons) sum[reason] += more[reason] ?? 0
        spent = sum
      })
    return Budget.of({
      check: Effect.suspend(() => {
        const reason = exceeded()
        if (reason === undefined) return Effect.void
        return new BudgetExceeded({ reason, limit: limits[reason] ?? 0, spent: spent[reason] })
      }),
      recordUsage: (usage) =>
        add({
          input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
          output_tokens: usage.output,
          total_tokens: usage.totalTokens,
          cost: usage.cost.total
        }),
      recordToolCall: add({ tool_calls: 1 }),
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
  })

export const layer = (limits: BudgetLimits) => Layer.effect(Budget, make(limits))
