/** A scope as a node of the tree: those above it, those below it, and who waits for it. */
import * as Effect from "effect/Effect"
import type * as Limits from "../../../../domain/budget/BudgetLimits.ts"
import type * as Counters from "../../../../domain/budget/Counters.ts"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import type * as BudgetScope from "./BudgetScope.ts"
import type { Earlier } from "./Meter.ts"

export interface TreeOptions {
  readonly limits: Limits.BudgetLimits
  /** They can only be tightened. */
  readonly fixed: Limits.BudgetLimits
  readonly publish: (event: AgentEvent) => void
  readonly ticks: () => number
  readonly history: History
  readonly changed: (limits: Limits.BudgetLimits) => void
}

/** What the session had spent when this process opened it. */
export interface History {
  /** Notes where the entries of this process begin. Called before anything is counted. */
  readonly mark: Effect.Effect<void>
  /** Reads the earlier entries. After a handoff they cannot be distinguished: then all are read, those of this process, too. */
  readonly read: Effect.Effect<{ readonly earlier: Earlier; readonly isAll: boolean }>
}

export interface Signal {
  /** Returns at the next notification. */
  readonly next: () => Effect.Effect<void>
  readonly notify: () => void
}

export const makeSignal = (): Signal => {
  let latch = Effect.unsafeMakeLatch(false)
  return {
    next: () => latch.await,
    notify: () => {
      const waiting = latch
      latch = Effect.unsafeMakeLatch(false)
      waiting.unsafeOpen()
    }
  }
}

export interface BudgetNode {
  readonly scope: BudgetScope.BudgetScope
  /** This one and those above it. */
  readonly path: ReadonlyArray<BudgetScope.BudgetScope>
  readonly children: Set<BudgetNode>
  /** Reads what was spent before, if there is a limit. */
  readonly begun: Effect.Effect<void>
  /** The same without a limit. */
  readonly known: Effect.Effect<void>
  /** The scope that has refused a tool call of this session, under limits that it had then. */
  refused?: { readonly by: BudgetScope.BudgetScope; readonly under: Limits.BudgetLimits }
  /** Publishes a warning, the first time that it is given the key. */
  readonly warnOnce: (key: string, source: string, message: string) => void
  /** Limits have changed: timers look again then. */
  readonly changed: Signal
  /** A call under way has ended, or limits have changed: calls that wait look again then. */
  readonly freed: Signal
  readonly options: TreeOptions
}

/** What does not fit into the limits of a scope, and whether it may when calls that are under way have ended. */
export const obstacle = ({ path }: BudgetNode, amounts: Counters.Counters) => {
  for (const scope of path) {
    const reason = scope.tooMuch(amounts)
    if (reason !== undefined) return { scope, reason, mayPass: scope.isHeldBack(reason, amounts) }
  }
  return undefined
}

/** A run that has asked for a tool call too many makes no further model call, unless the limits have changed. */
export const stoppage = ({ refused }: BudgetNode) =>
  refused === undefined || refused.by.limits() !== refused.under
    ? undefined
    : ({ scope: refused.by, reason: "tool_calls", mayPass: false } as const)

export const makeWarnOnce = (publish: TreeOptions["publish"]): BudgetNode["warnOnce"] => {
  const known = new Set<string>()
  return (key, source, message) => {
    if (known.has(key)) return
    known.add(key)
    publish({ _tag: "Notice", level: "warning", message, source })
  }
}

export const spend = ({ path }: BudgetNode, amounts: Counters.Counters) => {
  for (const scope of path) scope.spend(amounts)
}
