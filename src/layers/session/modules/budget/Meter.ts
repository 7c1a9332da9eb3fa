/** What one scope has spent and reserved, measured against its limits. */
import {
  type BudgetLimits,
  type BudgetReason,
  defaultRatio,
  limitOf,
  reasons
} from "../../../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../../../domain/budget/Counters.ts"

/** What the entries of a session say. */
export interface Earlier {
  readonly counters: Counters.Counters
  readonly wallTimeMs: number
}

/** Sums of prices are not exact: ten times $0.1 must fit into $1. */
const rounding = 1e-9

/** Of these a prompt needs something for its first model call. */
const needed: ReadonlySet<BudgetReason> = new Set(["input_tokens", "output_tokens", "total_tokens", "cost", "turns"])

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

export const make = (initial: BudgetLimits, ticks: () => number) => {
  let limits = initial
  let [spent, reserved] = [Counters.none, Counters.none]
  const { add: addTime, enter, leave, read: wallTime } = makeRunningTime(ticks)
  const valueOf = (reason: BudgetReason) => (reason === "wall_time" ? wallTime() : spent[reason])

  /** Whether something is true of the limit of this name, if there is one. */
  const limitIs = (reason: BudgetReason, test: (limit: number) => boolean) => {
    const limit = limitOf(limits, reason)
    return limit !== undefined && test(limit)
  }
  const isBeyond = (reason: BudgetReason) =>
    limitIs(reason, (limit) => (reason === "wall_time" ? wallTime() >= limit : spent[reason] - limit > rounding))

  return {
    limits: () => limits,
    setLimits: (changed: BudgetLimits) => void (limits = changed),
    spent: () => spent,
    valueOf,
    figures: () => Counters.toSnapshot(spent, Math.round(wallTime())),
    enter,
    leave,
    /** Milliseconds until the limit; undefined without one. */
    timeLeft: () => (limits.maxWallTimeMs === undefined ? undefined : Math.max(0, limits.maxWallTimeMs - wallTime())),
    reserve: (amounts: Counters.Counters) => void (reserved = Counters.add(reserved, amounts)),
    free: (amounts: Counters.Counters) => void (reserved = Counters.subtract(reserved, amounts)),
    spend: (amounts: Counters.Counters) => void (spent = Counters.add(spent, amounts)),
    /** Adds what was spent before this scope was opened. */
    addEarlier: ({ counters, wallTimeMs }: Earlier) => {
      spent = Counters.add(spent, counters)
      addTime(wallTimeMs)
    },
    /** What was spent altogether, of which this scope has counted some. */
    atLeast: ({ counters, wallTimeMs }: Earlier) => {
      spent = Counters.larger(spent, counters)
      addTime(Math.max(0, wallTimeMs - wallTime()))
    },
    isNear: (reason: BudgetReason) =>
      limitIs(reason, (limit) => {
        const value = valueOf(reason)
        return value > 0 && value >= (limits.warnAtRatio ?? defaultRatio) * limit
      }),
    /** A limit of nothing is not exceeded by nothing. */
    isExceeded: (reason: BudgetReason) => valueOf(reason) > 0 && isBeyond(reason),
    /** Whether nothing is left, or too little for a model call. */
    isSpent: (reason: BudgetReason) =>
      isBeyond(reason) || (needed.has(reason) && limitIs(reason, (limit) => valueOf(reason) >= limit - rounding)),
    /** What of the amounts would go beyond a limit, together with what is reserved. */
    tooMuch: (amounts: Counters.Counters): BudgetReason | undefined =>
      reasons.find((reason) => {
        if (reason === "wall_time") return isBeyond(reason)
        const sum = spent[reason] + reserved[reason] + amounts[reason]
        return amounts[reason] > 0 && limitIs(reason, (limit) => sum - limit > rounding)
      }),
    /** Whether it would fit if nothing were reserved. */
    isHeldBack: (reason: BudgetReason, amounts: Counters.Counters) =>
      reason !== "wall_time" &&
      reserved[reason] > rounding &&
      limitIs(reason, (limit) => spent[reason] + amounts[reason] - limit <= rounding),
    /** As much of the amounts as fits. */
    clip: (amounts: Counters.Counters): Counters.Counters => {
      const left = (reason: Counters.Counted) => {
        const limit = limitOf(limits, reason) ?? Number.POSITIVE_INFINITY
        return Math.max(0, Math.min(amounts[reason], limit - spent[reason] - reserved[reason]))
      }
      const [output_tokens, total_tokens, cost] = [left("output_tokens"), left("total_tokens"), left("cost")]
      return { ...amounts, output_tokens, total_tokens, cost }
    }
  }
}
