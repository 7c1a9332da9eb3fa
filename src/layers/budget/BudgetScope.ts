/** The counters and limits of one scope, and what hosts are told of them. Everything here is done in one step. */
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import {
  type BudgetLimits,
  type BudgetReason,
  defaultRatio,
  limitOf,
  reasons
} from "../../domain/budget/BudgetLimits.ts"
import type { BudgetScopeName, BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import { BudgetExceeded } from "../../services/Budget.ts"

export interface ScopeOptions {
  readonly scope: BudgetScopeName
  readonly id?: string
  readonly limits: BudgetLimits
  readonly publish: (event: AgentEvent) => void
  readonly ticks: () => number
}

/** What the entries of a session say. */
export interface Earlier {
  readonly counters: Counters.Counters
  readonly wallTimeMs: number
}

export type BudgetScope = ReturnType<typeof make>

/** Sums of prices are not exact: ten times $0.1 must fit into $1. */
const rounding = 1e-9

/** Of these a prompt needs something for its first model call. */
const needed: ReadonlySet<BudgetReason> = new Set(["input_tokens", "output_tokens", "total_tokens", "cost", "turns"])

/** A start that is refused for these refuses only itself and later prompts: model calls go on. */
const ofStarts: ReadonlySet<BudgetReason> = new Set(["tool_calls", "subagents"])

/** The time in which at least one run was active. */
const makeRunningTime = (ticks: () => number) => {
  let [running, since, elapsed] = [0, 0, 0]
  const read = () => elapsed + (running > 0 ? ticks() - since : 0)
  return {
    read,
    add: (ms: number) => void (elapsed += ms),
    enter: () => {
      if (running++ === 0) since = ticks()
    },
    leave: () => {
      if (--running === 0) elapsed += ticks() - since
    }
  }
}

export const make = ({ id, publish, scope, ticks, ...options }: ScopeOptions) => {
  let { limits } = options
  let spent = Counters.none
  let reserved = Counters.none
  /** What hosts were told. */
  let exceeded: BudgetReason | undefined
  /** Why there are no more model calls. */
  let ended: BudgetReason | undefined
  let warned: ReadonlyArray<BudgetReason> = []

  const { add: addTime, enter, leave, read: wallTime } = makeRunningTime(ticks)
  const valueOf = (reason: BudgetReason) => (reason === "wall_time" ? wallTime() : spent[reason])
  const name = id === undefined ? { scope } : { scope, id }

  const snapshot = (): BudgetSnapshot => {
    const reason = exceeded ?? warned.at(-1)
    const status = exceeded !== undefined ? "exceeded" : reason === undefined ? "ok" : "warning"
    const values = Counters.toSnapshot(spent, Math.round(wallTime()))
    return reason === undefined ? { ...values, status } : { ...values, status, reason }
  }

  const refusal = (reason: BudgetReason) =>
    new BudgetExceeded({ reason, limit: limitOf(limits, reason) ?? 0, spent: valueOf(reason) })

  /** From now on nothing more is allowed here, or no further prompts if only the number of starts is exceeded. */
  const exceed = (reason: BudgetReason) => {
    if (!ofStarts.has(reason)) ended ??= reason
    if (exceeded === undefined) {
      exceeded = reason
      publish({ _tag: "BudgetSpent", ...name, snapshot: snapshot() })
    }
    return refusal(reason)
  }

  const isBeyond = (reason: BudgetReason, limit: number) =>
    reason === "wall_time" ? wallTime() >= limit : valueOf(reason) - limit > rounding

  const isNear = (reason: BudgetReason) => {
    const limit = limitOf(limits, reason)
    const value = valueOf(reason)
    return limit !== undefined && value > 0 && value >= (limits.warnAtRatio ?? defaultRatio) * limit
  }

  const warn = () => {
    for (const reason of reasons) {
      if (warned.includes(reason) || !isNear(reason)) continue
      warned = [...warned, reason]
      publish({ _tag: "BudgetWarning", ...name, snapshot: snapshot() })
    }
  }

  /** Warns once of each limit that is near, then tells once if one is exceeded. No warning follows that. */
  const note = () => {
    if (ended !== undefined) return
    if (exceeded === undefined) warn()
    for (const reason of reasons) {
      const limit = limitOf(limits, reason)
      if (limit !== undefined && valueOf(reason) > 0 && isBeyond(reason, limit)) exceed(reason)
    }
  }

  const isSpent = (reason: BudgetReason): boolean => {
    const limit = limitOf(limits, reason)
    if (limit === undefined) return false
    return isBeyond(reason, limit) || (needed.has(reason) && valueOf(reason) >= limit - rounding)
  }

  /** Why no model call would be allowed. */
  const spentUp = (): BudgetReason | undefined =>
    ended ?? reasons.find((reason) => !ofStarts.has(reason) && isSpent(reason))

  /** Why no prompt would be accepted. */
  const closed = (): BudgetReason | undefined => exceeded ?? reasons.find(isSpent)

  /** What of the amounts would go beyond a limit, together with what is reserved. */
  const tooMuch = (amounts: Counters.Counters): BudgetReason | undefined => {
    if (ended !== undefined) return ended
    return reasons.find((reason) => {
      const limit = limitOf(limits, reason)
      if (limit === undefined) return false
      if (reason === "wall_time") return wallTime() >= limit
      return amounts[reason] > 0 && spent[reason] + reserved[reason] + amounts[reason] - limit > rounding
    })
  }

  /** Whether it would fit if nothing were reserved. */
  const isHeldBack = (reason: BudgetReason, amounts: Counters.Counters) => {
    const limit = limitOf(limits, reason)
    if (ended !== undefined || reason === "wall_time" || limit === undefined) return false
    return reserved[reason] > rounding && spent[reason] + amounts[reason] - limit <= rounding
  }

  /** As much of the amounts as fits. */
  const clip = (amounts: Counters.Counters): Counters.Counters => {
    const left = (reason: Counters.Counted) => {
      const limit = limitOf(limits, reason) ?? Number.POSITIVE_INFINITY
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
    refusal,
    spentUp,
    closed,
    tooMuch,
    isHeldBack,
    clip,
    reserve: (amounts: Counters.Counters) => void (reserved = Counters.add(reserved, amounts)),
    free: (amounts: Counters.Counters) => void (reserved = Counters.subtract(reserved, amounts)),
    spend: (amounts: Counters.Counters) => {
      spent = Counters.add(spent, amounts)
      note()
    },
    /** Adds what was spent before this scope was opened. */
    addEarlier: ({ counters, wallTimeMs }: Earlier) => {
      spent = Counters.add(spent, counters)
      addTime(wallTimeMs)
      note()
    },
    /** What was spent altogether, of which this scope has counted some. */
    atLeast: ({ counters, wallTimeMs }: Earlier) => {
      spent = Counters.larger(spent, counters)
      addTime(Math.max(0, wallTimeMs - wallTime()))
      note()
    },
    enter,
    leave,
    /** Milliseconds until the limit; undefined without one. */
    timeLeft: () => (limits.maxWallTimeMs === undefined ? undefined : Math.max(0, limits.maxWallTimeMs - wallTime())),
    setLimits: (changed: BudgetLimits) => {
      limits = changed
      exceeded = ended = undefined
      warned = warned.filter(isNear)
      note()
    }
  }
}
