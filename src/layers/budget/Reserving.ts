/** Reserves model calls in a scope and in all above it, before they start. */
import * as Effect from "effect/Effect"
import * as Limits from "../../domain/budget/BudgetLimits.ts"
import * as Counters from "../../domain/budget/Counters.ts"
import { label, type Model } from "../../domain/model/Model.ts"
import { type BudgetExceeded, type ModelCallPlan, NoPrice, type Reservation } from "../../services/Budget.ts"
import { type BudgetNode, obstacle, spend, stoppage } from "./BudgetNode.ts"

/** What is kept free for an answer. It never refuses a call: where less is left, less is reserved. */
const answerTokens = 1024

/** Undefined where every limit of the cost holds for the model. Tells once where only limits of tokens do. */
export const unpriced = ({ path, warnOnce }: BudgetNode, model: Model): NoPrice | undefined => {
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
export const reserve = (node: BudgetNode, plan: ModelCallPlan): Effect.Effect<Reservation, BudgetExceeded | NoPrice> =>
  Effect.suspend(() => {
    const { inputTokens, isTurn = true, model, refusal = "told" } = plan
    const noPrice = unpriced(node, model)
    if (noPrice !== undefined) return noPrice
    const input = Counters.ofInput(model, inputTokens, isTurn ? 1 : 0)
    const found = refusal === "never" ? undefined : (stoppage(node) ?? obstacle(node, input))
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
