/** The usage of the calls for one summary: counted at once, and stored together with the summary. */
import * as Effect from "effect/Effect"
import type * as Metering from "../../../../domain/model/Metering.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import * as Usage from "../../../../domain/model/Usage.ts"
import type { ModelCallPlan, SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { Session } from "../../../../services/session/Session.ts"

export type SummaryLedger = ReturnType<typeof make>

interface Dependencies {
  readonly budget: SessionBudget
  readonly session: typeof Session.Service
  /** Starts what the summary does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
}

/** What a summary counts for: one of a compaction that nobody asked for is left out rather than refused. */
export type Refusal = NonNullable<ModelCallPlan["refusal"]>

export const make = (
  { budget, detach, session }: Dependencies,
  summarizer: Model,
  { refusal, source }: { readonly source: string; readonly refusal: Refusal }
) => {
  const { id: model, provider } = summarizer
  const calls: Array<Usage.Usage> = []
  let unrecorded: ReadonlyArray<Effect.Effect<void>> = []
  let written = 0
  const record = Effect.suspend(() => {
    const due = unrecorded
    unrecorded = []
    return Effect.all(due, { discard: true })
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
    /** Reserves a call. Returns what takes its usage in any case; nothing was used if that is 0. */
    reserve: (plan: Pick<ModelCallPlan, "inputTokens" | "maxOutputTokens">) =>
      Effect.map(
        budget.modelCall({ ...plan, model: summarizer, isTurn: false, refusal }),
        ({ release, settle }) =>
          ({ doubt, usage }: Metering.Measured) => {
            if (doubt !== undefined) budget.doubt(provider, doubt)
            if (usage.totalTokens === 0) return release()
            calls.push(usage)
            unrecorded = [...unrecorded, settle(usage)]
          }
      ),
    /** Reports to the budget what the calls so far have used. */
    record,
    total: () => (calls.length === 0 ? undefined : calls.reduce(Usage.add, Usage.zero)),
    flush,
    /** However the summary ends. An abort does not wait for a budget that an embedder wrote. */
    close: Effect.zipRight(
      flush,
      Effect.sync(() => detach(record))
    )
  }
}
