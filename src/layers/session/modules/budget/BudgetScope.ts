/** One scope: its meter, and what is published of its limits. Everything here is done in one step. */
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import { type BudgetLimits, type BudgetReason, limitOf, reasons } from "../../../../domain/budget/BudgetLimits.ts"
import type { BudgetScopeName, BudgetSnapshot } from "../../../../domain/budget/BudgetSnapshot.ts"
import type * as Counters from "../../../../domain/budget/Counters.ts"
import { defined } from "../../../../domain/Values.ts"
import { BudgetExceeded } from "../../../../services/session/modules/Budget.ts"
import * as Meter from "./Meter.ts"

export interface ScopeOptions {
  readonly scope: BudgetScopeName
  readonly id?: string
  readonly limits: BudgetLimits
  readonly publish: (event: AgentEvent) => void
  readonly ticks: () => number
}

export type BudgetScope = ReturnType<typeof make>

/** A start that is refused for these refuses only itself and later prompts: model calls go on. */
const ofStarts: ReadonlySet<BudgetReason> = new Set(["tool_calls", "subagents"])

export const make = ({ id, limits, publish, scope, ticks }: ScopeOptions) => {
  const meter = Meter.make(limits, ticks)
  const name = { scope, ...defined({ id }) }
  /** The limit that was published as exceeded. */
  let exceeded: BudgetReason | undefined
  /** Why there are no more model calls. */
  let ended: BudgetReason | undefined
  let warned: ReadonlyArray<BudgetReason> = []

  const snapshot = (): BudgetSnapshot => {
    const reason = exceeded ?? warned.at(-1)
    const status = exceeded !== undefined ? "exceeded" : reason === undefined ? "ok" : "warning"
    return { ...meter.figures(), status, ...defined({ reason }) }
  }

  const refusal = (reason: BudgetReason) =>
    new BudgetExceeded({ reason, limit: limitOf(meter.limits(), reason) ?? 0, spent: meter.valueOf(reason) })

  /** From now on nothing more is allowed here, or no further prompts if only the number of starts is exceeded. */
  const exceed = (reason: BudgetReason) => {
    if (!ofStarts.has(reason)) ended ??= reason
    if (exceeded === undefined) {
      exceeded = reason
      publish({ _tag: "BudgetSpent", ...name, snapshot: snapshot() })
    }
    return refusal(reason)
  }

  const warn = () => {
    for (const reason of reasons) {
      if (warned.includes(reason) || !meter.isNear(reason)) continue
      warned = [...warned, reason]
      publish({ _tag: "BudgetWarning", ...name, snapshot: snapshot() })
    }
  }

  /** Warns once of each limit that is near, then publishes once if one is exceeded. No warning follows that. */
  const note = () => {
    if (ended !== undefined) return
    if (exceeded === undefined) warn()
    for (const reason of reasons) if (meter.isExceeded(reason)) exceed(reason)
  }

  return {
    ...meter,
    name,
    snapshot,
    note,
    exceed,
    refusal,
    /** Why no model call would be allowed. */
    spentUp: () => ended ?? reasons.find((reason) => !ofStarts.has(reason) && meter.isSpent(reason)),
    /** Why no prompt would be accepted. */
    closed: () => exceeded ?? reasons.find(meter.isSpent),
    tooMuch: (amounts: Counters.Counters) => ended ?? meter.tooMuch(amounts),
    isHeldBack: (reason: BudgetReason, amounts: Counters.Counters) =>
      ended === undefined && meter.isHeldBack(reason, amounts),
    spend: (amounts: Counters.Counters) => {
      meter.spend(amounts)
      note()
    },
    addEarlier: (earlier: Meter.Earlier) => {
      meter.addEarlier(earlier)
      note()
    },
    atLeast: (earlier: Meter.Earlier) => {
      meter.atLeast(earlier)
      note()
    },
    setLimits: (changed: BudgetLimits) => {
      meter.setLimits(changed)
      exceeded = ended = undefined
      warned = warned.filter(meter.isNear)
      note()
    }
  }
}
