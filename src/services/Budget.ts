/** Spending limits of sessions. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Usage } from "../domain/model/Usage.ts"
import type { Session } from "./session/Session.ts"

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

export interface SessionBudget {
  /** Asked before a prompt is accepted, before every model call and every tool call, never in the middle of one. */
  readonly check: Effect.Effect<void, BudgetExceeded>
  readonly recordUsage: (usage: Usage) => Effect.Effect<void>
  readonly recordToolCall: Effect.Effect<void>
}

export class Budget extends Context.Tag("heddle/services/Budget")<
  Budget,
  {
    /** The budget of a session that is being opened; it goes with the session's scope. */
    readonly open: Effect.Effect<SessionBudget, never, Session | Scope.Scope>
  }
>() {}
