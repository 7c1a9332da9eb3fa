/** What a session, a batch of tasks or a subagent has spent, and of what it may spend no more (protocol.md 15). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { BudgetReason } from "./BudgetLimits.ts"

export const BudgetScopeName = Schema.Literal("session", "task", "subagent")
export type BudgetScopeName = typeof BudgetScopeName.Type

export const BudgetSnapshot = Schema.Struct({
  status: Schema.Literal("ok", "warning", "exceeded"),
  wallTimeMs: Schema.Finite,
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  totalTokens: Schema.Finite,
  costUsd: Schema.Finite,
  toolCalls: Schema.Int,
  subagents: Schema.Int,
  turns: Schema.Int,
  reason: optional(BudgetReason, "The limit that is near or reached.")
}).annotations({ identifier: "BudgetSnapshot", description: "What a session, a task call or a subagent has spent." })
export type BudgetSnapshot = typeof BudgetSnapshot.Type
