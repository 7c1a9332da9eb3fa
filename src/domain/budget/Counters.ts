/** What is counted for budgets, as amounts by name. */
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import type * as Ledger from "../session/Ledger.ts"
import type { Model } from "../model/Model.ts"
import { amount, type Usage } from "../model/Usage.ts"
import { type BudgetReason, limited } from "./BudgetLimits.ts"
import type { BudgetSnapshot } from "./BudgetSnapshot.ts"

/** Wall time is not an amount that calls add to: scopes measure it. */
export type Counted = Exclude<BudgetReason, "wall_time">
export type Counters = Readonly<Record<Counted, number>>

export const none: Counters = Record.map(Struct.omit(limited, "wall_time"), () => 0)

const combine = (one: Counters, other: Counters, by: (a: number, b: number) => number): Counters =>
  Record.map(one, (amount, reason) => by(amount, other[reason]))

export const add = (one: Counters, other: Counters) => combine(one, other, (a, b) => a + b)
export const subtract = (one: Counters, other: Counters) => combine(one, other, (a, b) => a - b)
export const larger = (one: Counters, other: Counters) => combine(one, other, Math.max)

export const ofUsage = ({ cacheRead, cacheWrite, cost, input: uncached, output }: Usage, turns: number): Counters => {
  const input = amount(uncached) + amount(cacheRead) + amount(cacheWrite)
  return {
    ...none,
    input_tokens: input,
    output_tokens: amount(output),
    total_tokens: input + amount(output),
    cost: amount(cost.total),
    turns
  }
}

export const ofLedger = ({ cost, subagents, tokens, toolCalls, turns }: Ledger.Spent): Counters => ({
  input_tokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
  output_tokens: tokens.output,
  total_tokens: tokens.total,
  cost,
  tool_calls: toolCalls,
  subagents,
  turns
})

/** What a model call takes for sure: its input, and one token of output. */
export const ofInput = ({ cost }: Model, inputTokens: number, turns: number): Counters => {
  const input = amount(inputTokens)
  return {
    ...none,
    input_tokens: input,
    output_tokens: 1,
    total_tokens: input + 1,
    cost: amount((input * cost.input + cost.output) / 1e6),
    turns
  }
}

export const ofOutput = ({ cost }: Model, outputTokens: number): Counters => ({
  ...none,
  output_tokens: outputTokens,
  total_tokens: outputTokens,
  cost: amount((outputTokens * cost.output) / 1e6)
})

export const toSnapshot = (counters: Counters, wallTimeMs: number): Omit<BudgetSnapshot, "status" | "reason"> =>
  Record.mapEntries({ wall_time: wallTimeMs, ...counters }, (value, reason) => [limited[reason].spent, value])
