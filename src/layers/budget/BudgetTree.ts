/** The budget of a session and of the scopes below it: what is spent in one counts in all above. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { firstSuccess } from "../Sharing.ts"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Limits from "../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import { unknownPrices } from "../../domain/model/Usage.ts"
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
  /** What the session has spent before. Read once, when a limit or somebody asks for it. */
  readonly before: Effect.Effect<Counters.Counters>
  readonly changed: (limits: Limits.BudgetLimits) => void
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
  /** Reads what was spent before, where it matters. */
  readonly begun: Effect.Effect<void>
  /** Opened when limits change; timers look again then. */
  readonly wake: { latch: Effect.Latch }
  readonly options: TreeOptions
}

const refusal = ({ path }: Node, amounts: Counters.Counters): BudgetExceeded | undefined => {
  for (const scope of path) {
    const reason = scope.tooMuch(amounts)
    if (reason !== undefined) return scope.exceed(reason)
  }
  return undefined
}

const spend = ({ path }: Node, amounts: Counters.Counters) => {
  for (const scope of path) scope.spend(amounts)
}

const counted = (node: Node, amounts: Counters.Counters): Effect.Effect<void, BudgetExceeded> =>
  Effect.flatMap(node.begun, () => refusal(node, amounts) ?? Effect.sync(() => spend(node, amounts)))

const isUnpriced = ({ path }: Node, { cost }: ModelCallPlan["model"]) =>
  cost === unknownPrices &&
  path.some((scope) => scope.limits().maxCostUsd !== undefined) &&
  !path.some((scope) => Limits.boundsTokens(scope.limits()))

const reserve = (node: Node, plan: ModelCallPlan): Effect.Effect<Reservation, BudgetExceeded | NoPrice> => {
  const { inputTokens, isTurn = true, maxOutputTokens = answerTokens, model } = plan
  if (isUnpriced(node, model)) return new NoPrice({ provider: model.provider, modelId: model.id })
  const input = Counters.ofInput(model, inputTokens, isTurn ? 1 : 0)
  const refused = refusal(node, input)
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
        for (const scope of node.path) scope.enter()
        return Effect.gen(function* () {
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
    node.scope.setLimits(limits)
    yield* node.begun
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
  const { begun, options, scope } = node
  return {
    isLimited: () => node.path.some((each) => Limits.hasLimit(each.limits())),
    check: Effect.flatMap(begun, () => {
      const found = spentUp(node)
      return found === undefined ? Effect.void : found.scope.exceed(found.reason)
    }),
    mayCall: Effect.map(begun, () => spentUp(node) === undefined),
    modelCall: (plan) => Effect.flatMap(begun, () => reserve(node, plan)),
    toolCall: counted(node, oneToolCall),
    subagent: counted(node, oneSubagent),
    recordUsage: (usage) => Effect.map(begun, () => spend(node, Counters.ofUsage(usage, 0))),
    whileRunning: whileRunning(node),
    child: below(node),
    snapshot: Effect.flatMap(options.before, (before) =>
      Effect.sync(() => {
        node.path.at(-1)?.begin(before)
        return scope.snapshot()
      })
    ),
    scopes: Effect.sync(() => statesOf(node)),
    limits: Effect.sync(scope.limits),
    setLimits: setLimits(node)
  }
}

/** Without limits nothing is read. */
export const make = (options: TreeOptions): SessionBudget => {
  const scope = BudgetScope.make({ ...options, scope: "session" })
  let hasBegun = false
  const before = firstSuccess(options.before)
  const begin = Effect.map(before, (earlier) => {
    if (!hasBegun) scope.begin(earlier)
    hasBegun = true
  })
  const begun = Effect.suspend(() => (hasBegun || !Limits.hasLimit(scope.limits()) ? Effect.void : begin))
  const known = Effect.map(begin, scope.spent)
  const wake = { latch: Effect.unsafeMakeLatch(false) }
  return budgetOf({ scope, path: [scope], children: new Set(), begun, wake, options: { ...options, before: known } })
}
