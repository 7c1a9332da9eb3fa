/** Of what a session, a batch of tasks or a subagent may spend how much (protocol.md 15). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import type { BudgetReason } from "./BudgetSnapshot.ts"

const Amount = Schema.Finite.pipe(Schema.nonNegative())
const Ratio = Schema.Finite.pipe(Schema.between(0, 1))

/** A limit that is absent does not exist. */
export const BudgetLimits = Schema.Struct({
  maxWallTimeMs: optional(Amount),
  maxInputTokens: optional(Amount),
  maxOutputTokens: optional(Amount),
  maxTotalTokens: optional(Amount),
  maxCostUsd: optional(Amount),
  maxToolCalls: optional(Amount),
  maxSubagents: optional(Amount),
  maxTurns: optional(Amount),
  warnAtRatio: optional(Ratio).annotations({
    description: "The part of a limit, from 0 to 1, at which `budget_warning` is sent."
  })
}).annotations({
  identifier: "BudgetLimits",
  description: "The limits of a session, a task call or a subagent. A limit that is absent does not exist."
})
export type BudgetLimits = typeof BudgetLimits.Type

/** Members that are given replace, null removes. */
export const LimitsChange = Schema.Struct({
  maxWallTimeMs: optional(Schema.NullOr(Amount)),
  maxInputTokens: optional(Schema.NullOr(Amount)),
  maxOutputTokens: optional(Schema.NullOr(Amount)),
  maxTotalTokens: optional(Schema.NullOr(Amount)),
  maxCostUsd: optional(Schema.NullOr(Amount)),
  maxToolCalls: optional(Schema.NullOr(Amount)),
  maxSubagents: optional(Schema.NullOr(Amount)),
  maxTurns: optional(Schema.NullOr(Amount)),
  warnAtRatio: optional(Schema.NullOr(Ratio))
})
export type LimitsChange = typeof LimitsChange.Type

export type LimitName = Exclude<keyof BudgetLimits, "warnAtRatio">

/** The limit of each thing that is counted, in the order in which they are looked at. */
export const limitNames = {
  wall_time: "maxWallTimeMs",
  input_tokens: "maxInputTokens",
  output_tokens: "maxOutputTokens",
  total_tokens: "maxTotalTokens",
  cost: "maxCostUsd",
  tool_calls: "maxToolCalls",
  subagents: "maxSubagents",
  turns: "maxTurns"
} as const satisfies Record<BudgetReason, LimitName>

export const reasons: ReadonlyArray<BudgetReason> = [
  "wall_time",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "cost",
  "tool_calls",
  "subagents",
  "turns"
]

export const limitOf = (limits: BudgetLimits, reason: BudgetReason): number | undefined => limits[limitNames[reason]]

export const hasLimit = (limits: BudgetLimits): boolean =>
  reasons.some((reason) => limitOf(limits, reason) !== undefined)

export const defaultRatio = 0.8

/** Any of these bounds what a call can cost, also where nobody knows its price. */
export const boundsTokens = (limits: BudgetLimits): boolean =>
  limits.maxInputTokens !== undefined || limits.maxOutputTokens !== undefined || limits.maxTotalTokens !== undefined

const names: ReadonlyArray<keyof BudgetLimits> = [...reasons.map((reason) => limitNames[reason]), "warnAtRatio"]

/** The limits after a change. */
export const change = (limits: BudgetLimits, by: LimitsChange): BudgetLimits => {
  const changed: { -readonly [K in keyof BudgetLimits]: BudgetLimits[K] } = {}
  for (const name of names) {
    const value = by[name] === undefined ? limits[name] : by[name]
    if (value !== undefined && value !== null) changed[name] = value
  }
  return changed
}

/** The first limit that a change would loosen although it is fixed. */
export const loosened = (fixed: BudgetLimits, by: LimitsChange): LimitName | undefined => {
  for (const reason of reasons) {
    const name = limitNames[reason]
    const [bound, wanted] = [fixed[name], by[name]]
    if (bound !== undefined && wanted !== undefined && (wanted === null || wanted > bound)) return name
  }
  return undefined
}
