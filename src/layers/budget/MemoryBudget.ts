/** Counts what a session spends and compares it with limits that are fixed when it starts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "../../domain/session/Ledger.ts"
import { Budget, BudgetExceeded, type BudgetReason } from "../../services/Budget.ts"
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

/** Where nothing is limited nothing has to be counted: every model call and every tool call asks. */
const unlimited = Budget.of({
  check: Effect.void,
  recordUsage: () => Effect.void,
  recordToolCall: Effect.void,
  begin: () => Effect.void
})

const limited = (limits: BudgetLimits, before: Effect.Effect<Ledger.Spent>) => {
  let spent: Counters | undefined
  /** Reading a long session takes a while: not before somebody asks. */
  const begun = Effect.suspend(() =>
    spent === undefined ? Effect.map(before, (earlier) => (spent ??= counters(earlier))) : Effect.succeed(spent)
  )
  const change = (by: (now: Counters) => Counters) =>
    Effect.map(begun, (now) => {
      spent = by(now)
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
  return Budget.of({
    check,
    recordUsage: (usage) =>
      change((now) => ({
        ...now,
        input_tokens: now.input_tokens + usage.input + usage.cacheRead + usage.cacheWrite,
        output_tokens: now.output_tokens + usage.output,
        total_tokens: now.total_tokens + usage.totalTokens,
        cost: now.cost + usage.cost.total
      })),
    recordToolCall: change((now) => ({ ...now, tool_calls: now.tool_calls + 1 })),
    begin: (earlier) =>
      Effect.sync(() => {
        spent = counters(earlier)
      })
  })
}

/** `before` is what the session has spent when the process begins in it: asked once, when something depends on it. */
export const make = (limits: BudgetLimits, before: Effect.Effect<Ledger.Spent> = Effect.succeed(Ledger.nothing)) =>
  Effect.sync(() => (Object.keys(limits).length === 0 ? unlimited : limited(limits, before)))

/** For a session that begins empty. */
export const layer = (limits: BudgetLimits) => Layer.effect(Budget, make(limits))

/** Counts what was spent in the session before this process. */
export const makeResumed = (limits: BudgetLimits) =>
  Effect.flatMap(Session, ({ entries }) => make(limits, Effect.map(entries, Ledger.total)))

export const layerResumed = (limits: BudgetLimits) => Layer.effect(Budget, makeResumed(limits))
