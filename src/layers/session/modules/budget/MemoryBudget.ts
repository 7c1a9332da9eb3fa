/** Counts in memory what each session spends; what it has spent before is read from its entries. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import { type BudgetLimits, change, limited } from "../../../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../../../domain/budget/Counters.ts"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as Ledger from "../../../../domain/session/Ledger.ts"
import type { SessionEntry } from "../../../../domain/session/SessionEntry.ts"
import { Budget } from "../../../../services/session/modules/Budget.ts"
import { Session } from "../../../../services/session/Session.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import * as Stopwatch from "../../../../services/Stopwatch.ts"
import type { History } from "./BudgetNode.ts"
import * as BudgetTree from "./BudgetTree.ts"

export type { BudgetLimits } from "../../../../domain/budget/BudgetLimits.ts"

export const ofSettings = (settings: SettingsValues): BudgetLimits =>
  change(
    { warnAtRatio: settings["task.budget.warnAtRatio"] },
    Record.mapEntries(limited, ({ limit }) => [limit, settings[`task.budget.${limit}`] ?? null])
  )

const earlierOf = (entries: ReadonlyArray<SessionEntry>) => {
  const spent = Ledger.total(entries)
  return { counters: Counters.ofLedger(spent), wallTimeMs: spent.wallTimeMs }
}

const historyOf = ({ entries, info }: typeof Session.Service): History => {
  let [first, epoch] = [0, ""]
  return {
    mark: Effect.zipWith(entries, info, (all, now) => {
      first = all.length
      epoch = now.epoch
    }),
    read: Effect.zipWith(entries, info, (all, now) => {
      const isAll = now.epoch !== epoch
      return { earlier: earlierOf(isAll ? all : all.slice(0, first)), isAll }
    })
  }
}

/** `fixed` limits hold in place of the others, and can only be tightened. Limits that are set stay for later sessions. */
export const make = (limits: BudgetLimits, fixed: BudgetLimits = {}) => {
  let current = change(limits, fixed)
  return Budget.of({
    open: (publish) =>
      Effect.gen(function* () {
        const session = yield* Session
        const clock = yield* Effect.clock
        return BudgetTree.make({
          limits: current,
          fixed,
          publish,
          ticks: () => Stopwatch.read(clock),
          history: historyOf(session),
          changed: (changed) => void (current = changed)
        })
      })
  })
}

export const layer = (limits: BudgetLimits, fixed?: BudgetLimits) => Layer.sync(Budget, () => make(limits, fixed))

/** A budget without a session, for work of your own. `publish` gets events of limits that are near or exceeded. */
export const alone = (limits: BudgetLimits, publish: (event: AgentEvent) => void = () => {}) =>
  Effect.map(Effect.clock, (clock) => {
    const earlier = { counters: Counters.none, wallTimeMs: 0 }
    const history = { mark: Effect.void, read: Effect.succeed({ earlier, isAll: false }) }
    return BudgetTree.make({
      limits,
      fixed: {},
      publish,
      ticks: () => Stopwatch.read(clock),
      history,
      changed: () => {}
    })
  })
