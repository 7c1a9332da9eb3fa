/** Of what a session, a batch of tasks or a subagent may spend how much (protocol.md 15). */
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"

/** What is limited, in the order in which limits are looked at: its limit, and its member of a snapshot. */
export const limited = {
  wall_time: { limit: "maxWallTimeMs", spent: "wallTimeMs" },
  input_tokens: { limit: "maxInputTokens", spent: "inputTokens" },
  output_tokens: { limit: "maxOutputTokens", spent: "outputTokens" },
  total_tokens: { limit: "maxTotalTokens", spent: "totalTokens" },
  cost: { limit: "maxCostUsd", spent: "costUsd" },
  tool_calls: { limit: "maxToolCalls", spent: "toolCalls" },
  subagents: { limit: "maxSubagents", spent: "subagents" },
  turns: { limit: "maxTurns", spent: "turns" }
} as const

export const reasons = Record.keys(limited)
export const BudgetReason = Schema.Literal(...reasons)
export type BudgetReason = typeof BudgetReason.Type

export const limitNames = reasons.map((reason) => limited[reason].limit)
export type LimitName = (typeof limitNames)[number]

const Amount = Schema.Finite.pipe(Schema.nonNegative())
const Ratio = Schema.Finite.pipe(Schema.between(0, 1))

/** A limit that is absent does not exist. */
export const BudgetLimits = Schema.Struct({
  ...Record.mapEntries(limited, ({ limit }) => [limit, optional(Amount)]),
  warnAtRatio: optional(Ratio, "The part of a limit, from 0 to 1, at which `budget_warning` is sent.")
}).annotations({
  identifier: "BudgetLimits",
  description: "The limits of a session, a task call or a subagent. A limit that is absent does not exist."
})
export type BudgetLimits = typeof BudgetLimits.Type

/** Members that are given replace, null removes. */
export const LimitsChange = Schema.Struct({
  ...Record.mapEntries(limited, ({ limit }) => [limit, optional(Schema.NullOr(Amount))]),
  warnAtRatio: optional(Schema.NullOr(Ratio))
})
export type LimitsChange = typeof LimitsChange.Type

export const limitOf = (limits: BudgetLimits, reason: BudgetReason): number | undefined => limits[limited[reason].limit]

export const hasLimit = (limits: BudgetLimits): boolean => limitNames.some((name) => limits[name] !== undefined)

export const defaultRatio = 0.8

/** Any of these bounds what a call can cost, also where its price is unknown. */
export const boundsTokens = (limits: BudgetLimits): boolean =>
  limits.maxInputTokens !== undefined || limits.maxOutputTokens !== undefined || limits.maxTotalTokens !== undefined

/** The limits after a change. */
export const change = (limits: BudgetLimits, by: LimitsChange): BudgetLimits => {
  const changed: { -readonly [K in keyof BudgetLimits]: BudgetLimits[K] } = {}
  for (const name of [...limitNames, "warnAtRatio"] as const) {
    const value = by[name] === undefined ? limits[name] : by[name]
    if (value !== undefined && value !== null) changed[name] = value
  }
  return changed
}

/** The first limit that a change would loosen although it is fixed. */
export const loosened = (fixed: BudgetLimits, by: LimitsChange): LimitName | undefined =>
  limitNames.find((name) => {
    const [bound, wanted] = [fixed[name], by[name]]
    return bound !== undefined && wanted !== undefined && (wanted === null || wanted > bound)
  })
