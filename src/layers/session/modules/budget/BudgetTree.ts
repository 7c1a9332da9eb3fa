/** The budget of a session and of the scopes below it: what is spent in one counts in all above. */
import * as Effect from "effect/Effect"
import * as Limits from "../../../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../../../domain/budget/Counters.ts"
import { label, type Model } from "../../../../domain/model/Model.ts"
import {
  type BudgetExceeded,
  BudgetFixed,
  type ModelCallPlan,
  NoPrice,
  type Reservation,
  type ScopeState,
  type SessionBudget
} from "../../../../services/session/modules/Budget.ts"
import { firstSuccess } from "../../../Sharing.ts"
import { type BudgetNode, makeSignal, makeWarnOnce, obstacle, spend, stoppage, type TreeOptions } from "./BudgetNode.ts"
import * as BudgetScope from "./BudgetScope.ts"
import { whileRunning } from "./WallTime.ts"

/** What is kept free for an answer. It never refuses a call: where less is left, less is reserved. */
const answerTokens = 1024

/** Undefined where every limit of the cost holds for the model. Warns once where only limits of tokens do. */
const unpriced = ({ path, warnOnce }: BudgetNode, model: Model): NoPrice | undefined => {
  const isLimited = path.some((scope) => scope.limits().maxCostUsd !== undefined)
  if (model.costUnknown !== true || !isLimited) return undefined
  if (!path.some((scope) => Limits.boundsTokens(scope.limits())))
    return new NoPrice({ provider: model.provider, modelId: model.id })
  const name = label(model)
  const message = `No price known for ${name}: its calls are not counted for maxCostUsd. The limits of tokens hold for them.`
  warnOnce(`price of ${name}`, "budget", message)
  return undefined
}

/** Holds what the call takes for sure, and as much for its answer as is left. */
const hold = (node: BudgetNode, { maxOutputTokens = answerTokens, model }: ModelCallPlan, input: Counters.Counters) => {
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
const reserve = (node: BudgetNode, plan: ModelCallPlan): Effect.Effect<Reservation, BudgetExceeded | NoPrice> =>
  Effect.suspend(() => {
    const { inputTokens, isTurn = true, model, refusal = "published" } = plan
    const noPrice = unpriced(node, model)
    if (noPrice !== undefined) return noPrice
    const input = Counters.ofInput(model, inputTokens, isTurn ? 1 : 0)
    const found = refusal === "never" ? undefined : (stoppage(node) ?? obstacle(node, input))
    if (found !== undefined) {
      if (found.mayPass) return Effect.flatMap(node.freed.next(), () => reserve(node, plan))
      return refusal === "published" ? found.scope.exceed(found.reason) : found.scope.refusal(found.reason)
    }
    const free = hold(node, plan, input)
    return Effect.succeed({
      settle: (usage, isAnswer = true) =>
        Effect.sync(() => {
          if (!free()) return
          spend(node, Counters.ofUsage(usage, isTurn && isAnswer ? 1 : 0))
          node.freed.notify()
        }),
      release: () => {
        if (free()) node.freed.notify()
      }
    })
  })

const oneToolCall: Counters.Counters = { ...Counters.none, tool_calls: 1 }
const oneSubagent: Counters.Counters = { ...Counters.none, subagents: 1 }

const counted = (node: BudgetNode, amounts: Counters.Counters): Effect.Effect<void, BudgetExceeded> =>
  Effect.flatMap(node.begun, () => {
    const found = obstacle(node, amounts)
    if (found === undefined) return Effect.sync(() => spend(node, amounts))
    if (amounts === oneToolCall && found.reason === "tool_calls")
      node.refused = { by: found.scope, under: found.scope.limits() }
    return found.scope.exceed(found.reason)
  })

const spentUp = ({ path }: BudgetNode) => {
  for (const scope of path) {
    const reason = scope.spentUp()
    if (reason !== undefined) return { scope, reason }
  }
  return undefined
}

/** Hosts prompt the session. What its subagents get is part of the prompt that they work for. */
const closed = (node: BudgetNode) => {
  const { path, scope } = node
  const reason = path.length === 1 ? scope.closed() : undefined
  return reason === undefined ? spentUp(node) : { scope, reason }
}

const statesOf = ({ children, scope }: BudgetNode): ReadonlyArray<ScopeState> => [
  { ...scope.name, limits: scope.limits(), snapshot: scope.snapshot() },
  ...[...children].flatMap(statesOf)
]

const setLimits = (node: BudgetNode): SessionBudget["setLimits"] =>
  Effect.fnUntraced(function* (change) {
    const { changed, fixed } = node.options
    const name = Limits.loosened(fixed, change)
    if (name !== undefined) return yield* new BudgetFixed({ limit: name, fixed: fixed[name] ?? 0 })
    const limits = Limits.change(node.scope.limits(), change)
    // What was spent before decides what the limits still allow.
    if (Limits.hasLimit(limits)) yield* node.known
    node.scope.setLimits(limits)
    changed(limits)
    node.changed.notify()
    node.freed.notify()
  })

const below = (node: BudgetNode): SessionBudget["child"] =>
  Effect.fnUntraced(function* (options) {
    const scope = BudgetScope.make({ ...node.options, ...options })
    const { refused: _refused, ...shared } = node
    const child: BudgetNode = {
      ...shared,
      scope,
      path: [scope, ...node.path],
      children: new Set(),
      options: { ...node.options, fixed: {}, changed: () => {} }
    }
    node.children.add(child)
    yield* Effect.addFinalizer(() => Effect.sync(() => void node.children.delete(child)))
    return budgetOf(child)
  })

const budgetOf = (node: BudgetNode): SessionBudget => {
  const { begun, known, scope } = node
  return {
    isLimited: () => node.path.some((each) => Limits.hasLimit(each.limits())),
    check: Effect.flatMap(begun, () => {
      const found = closed(node)
      return found === undefined ? Effect.void : found.scope.exceed(found.reason)
    }),
    checkModel: (model) => Effect.suspend(() => unpriced(node, model) ?? Effect.void),
    mayPrompt: Effect.map(begun, () => closed(node) === undefined),
    mayCall: Effect.map(begun, () => spentUp(node) === undefined),
    modelCall: (plan) => Effect.flatMap(begun, () => reserve(node, plan)),
    toolCall: counted(node, oneToolCall),
    subagent: counted(node, oneSubagent),
    recordUsage: (usage) => Effect.map(begun, () => spend(node, Counters.ofUsage(usage, 0))),
    doubt: (provider, message) => node.warnOnce(`usage of ${provider}`, "usage", message),
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
  return budgetOf({
    scope,
    path: [scope],
    children: new Set(),
    begun,
    known,
    warnOnce: makeWarnOnce(options.publish),
    changed: makeSignal(),
    freed: makeSignal(),
    options
  })
}
