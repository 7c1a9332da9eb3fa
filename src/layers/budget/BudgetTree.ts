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
  /** Opened when limits change; timers look again then. */
  readonly wake: { latch: Effect.Latch }
  readonly options: TreeOptions
}

const refusal = (
  { path }: Node,
  amounts: Counters.Counters,
  how: NonNullable<ModelCallPlan["refusal"]> = "told"
): BudgetExceeded | undefined => {
  if (how === "never") return undefined
  for (const scope of path) {
    const reason = scope.tooMuch(amounts)
    if (reason !== undefined) return how === "told" ? scope.exceed(reason) : scope.refusal(reason)
  }
  return undefined
}

const spend = ({ path }: Node, amounts: Counters.Counters) => {
  for (const scope of path) scope.spend(amounts)
}

const counted = (node: Node, amounts: Counters.Counters): Effect.Effect<void, BudgetExceeded> =>
  Effect.flatMap(node.begun, () => refusal(node, amounts) ?? Effect.sync(() => spend(node, amounts)))

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

const reserve = (node: Node, plan: ModelCallPlan): Effect.Effect<Reservation, BudgetExceeded | NoPrice> => {
  const { inputTokens, isTurn = true, maxOutputTokens = answerTokens, model } = plan
  const noPrice = unpriced(node, model)
  if (noPrice !== undefined) return noPrice
  const input = Counters.ofInput(model, inputTokens, isTurn ? 1 : 0)
  const refused = refusal(node, input, plan.refusal)
  if (refused !== undefined) return refused
  const output = Counters.ofOutput(model, Math.max(0, Math.min(maxOutputTokens, answerTokens) - 1))
  const held = node.path.map((scope) => {
    scope.reserve(input)
    const more = scope.clip(output)
    scope.reserve(more)
    return { scope, amounts: Counters.add(input, more) }
  })
  let isOpen = true
  const release = () => {
    if (isOpen) for (const { amounts, scope } of held) scope.free(amounts)
    isOpen = false
  }
  return Effect.succeed({
    settle: (usage, isAnswer = true) =>
      Effect.sync(() => {
        if (!isOpen) return
        release()
        spend(node, Counters.ofUsage(usage, isTurn && isAnswer ? 1 : 0))
      }),
    release
  })
}

/** Waits until the time of a scope is over. */
const timeUp = (node: Node): Effect.Effect<BudgetScope.BudgetScope> =>
  Effect.suspend(() => {
    const { latch } = node.wake
    let [next, left]: [BudgetScope.BudgetScope | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const scope of node.path) {
      const time = scope.timeLeft()
      if (time !== undefined && time < left) [next, left] = [scope, time]
    }
    if (next === undefined) return Effect.flatMap(latch.await, () => timeUp(node))
    if (left === 0) return Effect.succeed(next)
    return Effect.flatMap(Effect.raceFirst(Effect.sleep(Math.ceil(left)), latch.await), () => timeUp(node))
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
    const { latch } = node.wake
    node.wake.latch = Effect.unsafeMakeLatch(false)
    yield* latch.open
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
  const wake = { latch: Effect.unsafeMakeLatch(false) }
  return budgetOf({ scope, path: [scope], children: new Set(), begun, known, uncounted: new Set(), wake, options })
}
