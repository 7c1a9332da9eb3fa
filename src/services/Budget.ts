/** Spending limits of one session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Spent } from "../domain/session/Ledger.ts"
import type { Usage } from "../domain/model/Usage.ts"

export const BudgetReason = Schema.Literal("input_tokens", "output_tokens", "total_tokens", "cost", "tool_calls")
export type BudgetReason = typeof BudgetReason.Type

export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  reason: BudgetReason,
  limit: Schema.Finite,
  spent: Schema.Finite
}) {
  override get message() {
    return `Budget exceeded (${this.reason}): ${this.spent} of ${this.limit}`
  }
}

export class Budget extends Context.Tag("heddle/services/Budget")<
  Budget,
  {
    /** Asked before a prompt is accepted, before every model call and every tool call, never in the middle of one. */
    readonly check: Effect.Effect<void, BudgetExceeded>
    readonly recordUsage: (usage: Usage) => Effect.Effect<void>
    readonly recordToolCall: Effect.Effect<void>
    /** Another session begins, which has spent this much before. */
    readonly begin: (spent: Spent) => Effect.Effect<void>
  }
>() {}
