/** The counters and limits of one scope, and what hosts are told of them. Everything here is done in one step. */
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import * as Limits from "../../domain/budget/BudgetLimits.ts"
import type { BudgetReason, BudgetScopeName, BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import { BudgetExceeded } from "../../services/Budget.ts"

export interface ScopeOptions {
  readonly scope: BudgetScopeName
  readonly id?: string
  readonly limits: Limits.BudgetLimits
  readonly publish: (event: AgentEvent) => void
  readonly ticks: () => number
}

export type BudgetScope = ReturnType<typeof make>

/** Of these a prompt needs something for its first model call. */
const needed: ReadonlySet<BudgetReason> = new Set(["input_tokens", "output_tokens", "total_tokens", "cost", "turns"])

export const make = ({ id, publish, scope, ticks, ...options }: ScopeOptions) => {
  let { limits } = options
  let spent = Counters.none
  let reserved = Counters.none
  let exceeded: BudgetReason | undefined
  let warned: ReadonlyArray<BudgetReason> = []
  let [running, since, elapsed] = [0, 0, 0]

  const wallTime = () => elapsed + (running > 0 ? ticks() - since : 0)
  const valueOf = (reason: BudgetReason) => (reason === "wall_time" ? wallTime() : spent[reason])
  const name = id === undefined ? { scope } : { scope, id }

  const snapshot = (): BudgetSnapshot => {
    const reason = exceeded ?? warned.at(-1)
    const status = exceeded !== undefined ? "exceeded" : reason === undefined ? "ok" : "warning"
    const values = Counters.toSnapshot(spent, Math.round(wallTime()))
    return reason === undefined ? { ...values, status } : { ...values, status, reason }
  }

  const exceed = (reason: BudgetReason) => {
    if (exceeded === undefined) {
      exceeded = reason
      publish({ _tag: "BudgetSpent", ...name, snapshot: snapshot() })
    }
    const limit = Limits.limitOf(limits, exceeded) ?? 0
    return new BudgetExceeded({ reason: exceeded, limit, spent: valueOf(exceeded) })
  }

  const isBeyond = (reason: BudgetReason, limit: number) =>
    reason === "wall_time" ? wallTime() >= limit : valueOf(reason) > limit

  /** Tells of what is near its limit or beyond it, each once. */
  const note = () => {
    const ratio = limits.warnAtRatio ?? Limits.defaultRatio
    for (const reason of Limits.reasons) {
      const limit = Limits.limitOf(limits, reason)
      if (limit === undefined || valueOf(reason) < ratio * limit || valueOf(reason) === 0) continue
      if (!warned.includes(reason)) {
        warned = [...warned, reason]
        if (exceeded === undefined) publish({ _tag: "BudgetWarning", ...name, snapshot: snapshot() })
      }
      if (isBeyond(reason, limit)) exceed(reason)
    }
  }

  /** Why no model call would be allowed. */
  const spentUp = (): BudgetReason | undefined =>
    exceeded ??
    Limits.reasons.find((reason) => {
      const limit = Limits.limitOf(limits, reason)
      if (limit === undefined) return false
      return isBeyond(reason, limit) || (needed.has(reason) && valueOf(reason) >= limit)
    })

  /** What of the amounts would go beyond a limit, together with what is reserved. */
  const tooMuch = (amounts: Counters.Counters): BudgetReason | undefined => {
    if (exceeded !== undefined) return exceeded
    return Limits.reasons.find((reason) => {
      const limit = Limits.limitOf(limits, reason)
      if (limit === undefined) return false
      if (reason === "wall_time") return wallTime() >= limit
      return amounts[reason] > 0 && spent[reason] + reserved[reason] + amounts[reason] > limit
    })
  }

  /** As much of the amounts as fits. */
  const clip = (amounts: Counters.Counters): Counters.Counters => {
    const left = (reason: Counters.Counted) => {
      const limit = Limits.limitOf(limits, reason) ?? Number.POSITIVE_INFINITY
      return Math.max(0, Math.min(amounts[reason], limit - spent[reason] - reserved[reason]))
    }
    return {
      ...amounts,
      output_tokens: left("output_tokens"),
      total_tokens: left("total_tokens"),
      cost: left("cost")
    }
  }

  return {
    name,
    limits: () => limits,
    spent: () => spent,
    snapshot,
    note,
    exceed,
    spentUp,
    tooMuch,
    clip,
    reserve: (amounts: Counters.Counters) => void (reserved = Counters.add(reserved, amounts)),
    free: (amounts: Counters.Counters) => void (reserved = Counters.subtract(reserved, amounts)),
    spend: (amounts: Counters.Counters) => {
      spent = Counters.add(spent, amounts)
      note()
    },
    /** What was spent before this scope was opened, and may have been counted since. */
    begin: (before: Counters.Counters) => {
      spent = Counters.larger(spent, before)
      note()
    },
    enter: () => {
      if (running++ === 0) since = ticks()
    },
    leave: () => {
      if (--running === 0) elapsed += ticks() - since
    },
    /** Milliseconds until the limit; undefined without one. */
    timeLeft: () => (limits.maxWallTimeMs === undefined ? undefined : Math.max(0, limits.maxWallTimeMs - wallTime())),
    setLimits: (changed: Limits.BudgetLimits) => {
      limits = changed
      exceeded = undefined
      const ratio = limits.warnAtRatio ?? Limits.defaultRatio
      warned = warned.filter((reason) => {
        const limit = Limits.limitOf(limits, reason)
        return limit !== undefined && valueOf(reason) >= ratio * limit
      })
      note()
    }
  }
}
