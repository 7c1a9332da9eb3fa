/** The usage of the calls for one summary: counted at once, and stored together with the summary. */
import * as Effect from "effect/Effect"
import type { Model } from "../../../domain/model/Model.ts"
import * as Usage from "../../../domain/model/Usage.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import type { Session } from "../../../services/session/Session.ts"

export type SummaryLedger = ReturnType<typeof make>

interface Dependencies {
  readonly budget: SessionBudget
  readonly session: typeof Session.Service
  /** Starts what the summary does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
}

const sum = (one: Usage.Usage, other: Usage.Usage): Usage.Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  totalTokens: one.totalTokens + other.totalTokens,
  cost: {
    input: one.cost.input + other.cost.input,
    output: one.cost.output + other.cost.output,
    cacheRead: one.cost.cacheRead + other.cost.cacheRead,
    cacheWrite: one.cost.cacheWrite + other.cost.cacheWrite,
    total: one.cost.total + other.cost.total
  }
})

export const make = ({ budget, detach, session }: Dependencies, { id: model, provider }: Model, source: string) => {
  const calls: Array<Usage.Usage> = []
  let written = 0
  let recorded = 0
  const record = Effect.suspend(() => {
    const due = calls.slice(recorded)
    recorded = calls.length
    return Effect.forEach(due, budget.recordUsage, { discard: true })
  })
  /** Appends what is not in the session yet. */
  const flush = Effect.suspend(() => {
    const due = calls.slice(written)
    written = calls.length
    return Effect.forEach(due, (usage) => session.append({ type: "usage", source, provider, model, usage }), {
      discard: true
    })
  })
  return {
    spent: (usage: Usage.Usage) => void calls.push(usage),
    /** Tells the budget what the calls so far have used. */
    record,
    total: () => (calls.length === 0 ? undefined : calls.reduce(sum, Usage.zero)),
    flush,
    /** However the summary ends. An abort does not wait for a budget that an embedder wrote. */
    close: Effect.zipRight(
      flush,
      Effect.sync(() => detach(record))
    )
  }
}
