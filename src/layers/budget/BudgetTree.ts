/** The budget of a session and of the scopes below it: what is spent in one counts in all above. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { firstSuccess } from "../Sharing.ts"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Limits from "../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import { label, type Model } from "../../domain/model/Model.ts"
import {
  type BudgetExceeded,
  BudgetFixed,
  type ModelCallPlan,
  NoPrice,
  type Reservation,
  type ScopeState,
  type SessionBudget
} from "../../services/Budget.ts"
import * as BudgetScope from "./BudgetScope.ts"

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
  /** Reads the earlier entries. After a handoff they cannot be told apart: then all are read, those of this process, too. */
  readonly read: Effect.Effect<{ readonly earlier: BudgetScope.Earlier; readonly isAll: boolean }>
}

/** What is kept free for an answer. It never refuses a call: where less is left, less is reserved. */
const answerTokens = 1024

const oneToolCall: Counters.Counters = { ...Counters.none, tool_calls: 1 }
const oneSubagent: Counters.Counters = { ...Counters.none, subagents: 1 }

interface Signal {
  /** Returns when it is told the next time. */
  readonly next: () => Effect.Effect<void>
  readonly tell: () => void
}

const makeSignal = (): Signal => {
  let latch = Effect.unsafeMakeLatch(false)
  return {
    next: () => latch.await,
    tell: () => {
      const told = latch
      latch = Effect.unsafeMakeLatch(false)
      told.unsafeOpen()
    }
  }
}

interface Node {
  readonly scope: BudgetScope.BudgetScope
  /** This one and those above it. */
  readonly path: ReadonlyArray<BudgetScope.BudgetScope>
  readonly children: Set<Node>
  /** Reads what was spent before, if there is a limit. */
  readonly begun: Effect.Effect<void>
  /** The same without a limit. */
  readonly known: Effect.Effect<void>
  /** The models of which the host was told that their cost is not counted. */
  readonly uncounted: Set<string>
  /** Limits have changed: timers look again then. */
  readonly changed: Signal
  /** A call under way has ended, or limits have changed: calls that wait look again then. */
  readonly freed: Signal
  readonly options: TreeOptions
}

/** What does not fit into the limits of a scope, and whether it may when calls that are under way have ended. */
const obstacle = ({ path }: Node, amounts: Counters.Counters) => {
  for (const scope of path) {
    const reason = scope.tooMuch(amounts)
    if (reason !== undefined) return { scope, reason, mayPass: scope.isHeldBack(reason, amounts) }
  }
  return undefined
}

const spend = ({ path }: Node, amounts: Counters.Counters) => {
  for (const scope of path) scope.spend(amounts)
}

const counted = (node: Node, amounts: Counters.Counters): Effect.Effect<void, BudgetExceeded> =>
  Effect.flatMap(node.begun, () => {
    const found = obstacle(node, amounts)
    return found === undefined ? Effect.sync(() => spend(node, amounts)) : found.scope.exceed(found.reason)
  })

/** Undefined where every limit of the cost holds for the model. Tells once where only limits of tokens do. */
const unpriced = ({ options, path, uncounted }: Node, model: Model): NoPrice | undefined => {
  const isLimited = path.some((scope) => scope.limits().maxCostUsd !== undefined)
  if (model.costUnknown !== true || !isLimited) return undefined
  if (!path.some((scope) => Limits.boundsTokens(scope.limits())))
    return new NoPrice({ provider: model.provider, modelId: model.id })
  if (uncounted.has(label(model))) return undefined
  uncounted.add(label(model))
  const message = `No price known for ${label(model)}: its calls are not counted for maxCostUsd. The limits of tokens hold for them.`
  options.publish({ _tag: "Notice", level: "warning", message, source: "budget" })
  return undefined
}

/** Holds what the call takes for sure, and as much for its answer as is left. */
const hold = (node: Node, { maxOutputTokens = answerTokens, model }: ModelCallPlan, input: Counters.Counters) => {
  const output = Counters.ofOutput(model, Math.max(0, Math.min(maxOutputTokens, answerTokens) - 1))
  const held = node.path.map((scope) => {
    scope.reserve(input)
    const more = scope.clip(output)
    scope.reserve(more)
    return { scope, amounts: Counters.add(input, more) }
  })
  let isOpen = true
  /** Returns whether it was held until now. */
  return () => {
    if (!isOpen) return false
    isOpen = false
    for (const { amounts, scope } of held) scope.free(amounts)
    return true
  }
}

/** Waits while calls that are under way hold what the call needs: they may turn out to cost less. */
const reserve = (node: Node, plan: ModelCallPlan): Effect.Effect<Reservation, BudgetExceeded | NoPrice> =>
  Effect.suspend(() => {
    const { inputTokens, isTurn = true, model, refusal = "told" } = plan
    const noPrice = unpriced(node, model)
    if (noPrice !== undefined) return noPrice
    const input = Counters.ofInput(model, inputTokens, isTurn ? 1 : 0)
    const found = refusal === "never" ? undefined : obstacle(node, input)
    if (found !== undefined) {
      if (found.mayPass) return Effect.flatMap(node.freed.next(), () => reserve(node, plan))
      return refusal === "told" ? found.scope.exceed(found.reason) : found.scope.refusal(found.reason)
    }
    const free = hold(node, plan, input)
    return Effect.succeed({
      settle: (usage, isAnswer = true) =>
        Effect.sync(() => {
          if (!free()) return
          spend(node, Counters.ofUsage(usage, isTurn && isAnswer ? 1 : 0))
          node.freed.tell()
        }),
      release: () => {
        if (free()) node.freed.tell()
      }
    })
  })

/** Waits until the time of a scope is over. */
const timeUp = (node: Node): Effect.Effect<BudgetScope.BudgetScope> =>
  Effect.suspend(() => {
    const changed = node.changed.next()
    let [next, left]: [BudgetScope.BudgetScope | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const scope of node.path) {
      const time = scope.timeLeft()
      if (time !== undefined && time < left) [next, left] = [scope, time]
    }
    if (next === undefined) return Effect.flatMap(changed, () => timeUp(node))
    if (left === 0) return Effect.succeed(next)
    return Effect.flatMap(Effect.raceFirst(Effect.sleep(Math.ceil(left)), changed), () => timeUp(node))
  })

const whileRunning =
  (node: Node): SessionBudget["whileRunning"] =>
  (effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime((self) => {
        let isOver = false
        let spentBy: BudgetExceeded | undefined
        const stop = (scope: BudgetScope.BudgetScope) => {
          if (isOver) return
          scope.note()
          spentBy = scope.exceed("wall_time")
          self.unsafeInterruptAsFork(FiberId.none)
        }
        return Effect.gen(function* () {
          yield* Effect.interruptible(node.begun)
          for (const scope of node.path) scope.enter()
          const timer = yield* Effect.fork(Effect.interruptible(Effect.map(timeUp(node), stop)))
          const exit = yield* Effect.exit(restore(effect))
          isOver = true
          for (const scope of node.path) {
            scope.leave()
            if (scope.limits().maxWallTimeMs !== undefined) scope.note()
          }
          timer.unsafeInterruptAsFork(FiberId.none)
          if (spentBy !== undefined && Exit.isFailure(exit) && Cause.isInterrupted(exit.cause)) return yield* spentBy
          return yield* exit
        })
      })
    )

const spentUp = ({ path }: Node) => {
  for (const scope of path) {
    const reason = scope.spentUp()
    if (reason !== undefined) return { scope, reason }
  }
  return undefined
}

const statesOf = ({ children, scope }: Node): ReadonlyArray<ScopeState> => [
  { ...scope.name, limits: scope.limits(), snapshot: scope.snapshot() },
  ...[...children].flatMap(statesOf)
]

const setLimits = (node: Node): SessionBudget["setLimits"] =>
  Effect.fnUntraced(function* (change) {
    const { changed, fixed } = node.options
    const name = Limits.loosened(fixed, change)
    if (name !== undefined) return yield* new BudgetFixed({ limit: name, fixed: fixed[name] ?? 0 })
    const limits = Limits.change(node.scope.limits(), change)
    // What was spent before decides what the limits still allow.
    if (Limits.hasLimit(limits)) yield* node.known
    node.scope.setLimits(limits)
    changed(limits)
    node.changed.tell()
    node.freed.tell()
  })

const below = (node: Node): SessionBudget["child"] =>
  Effect.fnUntraced(function* (options) {
    const scope = BudgetScope.make({ ...node.options, ...options })
    const child: Node = {
      ...node,
      scope,
      path: [scope, ...node.path],
      children: new Set(),
      options: { ...node.options, fixed: {}, changed: () => {} }
    }
    node.children.add(child)
    yield* Effect.addFinalizer(() => Effect.sync(() => void node.children.delete(child)))
    return budgetOf(child)
  })

const budgetOf = (node: Node): SessionBudget => {
  const { begun, known, scope } = node
  return {
    isLimited: () => node.path.some((each) => Limits.hasLimit(each.limits())),
    check: Effect.flatMap(begun, () => {
      const found = spentUp(node)
      return found === undefined ? Effect.void : found.scope.exceed(found.reason)
    }),
    checkModel: (model) => Effect.suspend(() => unpriced(node, model) ?? Effect.void),
    mayCall: Effect.map(begun, () => spentUp(node) === undefined),
    modelCall: (plan) => Effect.flatMap(begun, () => reserve(node, plan)),
    toolCall: counted(node, oneToolCall),
    subagent: counted(node, oneSubagent),
    recordUsage: (usage) => Effect.map(begun, () => spend(node, Counters.ofUsage(usage, 0))),
    whileRunning: whileRunning(node),
    child: below(node),
    snapshot: Effect.map(known, scope.snapshot),
    scopes: Effect.map(known, () => statesOf(node)),
    limits: Effect.sync(scope.limits),
    setLimits: setLimits(node)
  }
}

/** Without limits nothing is read. */
export const make = (options: TreeOptions): SessionBudget => {
  const { history } = options
  const scope = BudgetScope.make({ ...options, scope: "session" })
  let [hasMarked, hasRead] = [false, false]
  const mark = Effect.suspend(() => (hasMarked ? Effect.void : Effect.map(history.mark, () => void (hasMarked = true))))
  const reading = firstSuccess(Effect.zipRight(mark, history.read))
  const known = Effect.suspend(() =>
    hasRead
      ? Effect.void
      : Effect.map(reading, ({ earlier, isAll }) => {
          if (hasRead) return
          hasRead = true
          if (isAll) scope.atLeast(earlier)
          else scope.addEarlier(earlier)
        })
  )
  const begun = Effect.suspend(() => (Limits.hasLimit(scope.limits()) ? known : mark))
  const [changed, freed] = [makeSignal(), makeSignal()]
  const path = [scope]
  return budgetOf({ scope, path, children: new Set(), begun, known, uncounted: new Set(), changed, freed, options })
}
