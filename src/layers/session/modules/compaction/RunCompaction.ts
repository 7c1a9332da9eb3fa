/** Compactions of one run: before its first turn, after each turn, and once when the model found the context too long. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as CompactionPolicy from "../../../../domain/compaction/CompactionPolicy.ts"
import type { AssistantMessage } from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import { isTooSmall } from "../../../../services/session/modules/Compaction.ts"
import type { ModelFailure } from "../../../../services/model/ModelClient.ts"
import type { RunStep, RunView, TurnOutcome } from "../../../../services/session/RunStep.ts"
import type { Compaction } from "./Compaction.ts"
import * as ContextLength from "./ContextLength.ts"

interface Dependencies {
  readonly compaction: Compaction
  readonly length: ContextLength.ContextLength
  readonly budget: SessionBudget
  readonly model: Effect.Effect<Model>
  /** Whether a run that is compacted at its end continues by itself. */
  readonly autoContinue: boolean
}

const triedAlready =
  "Context overflow recovery failed after one compact-and-retry attempt. Shorten the prompt, or go on in a new session."

/** For a model that may have stopped only because its window was full. */
const continuation =
  "The conversation was compacted. If something of what was asked for is left to do, go on with it; if not, say so in a sentence."

/** Whether this model failed or answered. Another one may have a larger window. */
const isOf = (model: Model, { model: id, provider }: AssistantMessage | ModelFailure) =>
  id === model.id && provider === model.provider

/** Its part in a run. */
export const make =
  (dependencies: Dependencies) =>
  ({ runId }: RunView): RunStep => {
    const { autoContinue, budget, compaction, length, model: currentModel } = dependencies
    let recovered = false
    let gaveUp = false
    let wasTooSmall = false
    let goesOn = false
    /** After the run has continued by itself, it does so again only if tools have run, or it might never end. */
    let mayGoOn = true

    /**
     * After a failed compaction, the run does not try again: that would hold up every turn. After one that found too little
     * to compact it does, as soon as there is more; hosts hear only once that there was too little.
     */
    const shrink = Effect.fnUntraced(function* (model: Model, reason: "threshold" | "overflow") {
      const order = { reason, model, runId }
      if (gaveUp || (wasTooSmall && !(yield* compaction.isWorthwhile(order)))) return false
      const outcome = yield* compaction.perform(order)
      if (Either.isRight(outcome)) return true
      wasTooSmall = isTooSmall(outcome.left)
      gaveUp = !wasTooSmall
      return false
    })

    const recover = Effect.fnUntraced(function* (model: Model, outcome: TurnOutcome) {
      const order = { reason: "overflow", model, runId, recovers: true } as const
      if (recovered) {
        compaction.refuse(order, triedAlready)
        return outcome
      }
      recovered = true
      const compacted = yield* compaction.perform(order)
      const again: TurnOutcome = { _tag: "Continue" }
      return Either.isRight(compacted) ? again : outcome
    })

    /** Runs the effect if the budget allows further model calls. */
    const ifAffordable = <A>(effect: Effect.Effect<A>, otherwise: A) =>
      Effect.flatMap(budget.mayCall, (affordable) => (affordable ? effect : Effect.succeed(otherwise)))

    const before = Effect.suspend(() => {
      if (!compaction.isEnabled()) return Effect.void
      return Effect.flatMap(currentModel, (model) =>
        Effect.flatMap(length.recent, (branch) =>
          length.isLong(branch, model)
            ? ifAffordable(Effect.asVoid(shrink(model, "threshold")), undefined)
            : Effect.void
        )
      )
    })

    const afterAnswer = Effect.fnUntraced(function* (model: Model, outcome: TurnOutcome, overflowed: boolean) {
      // Tools that have run must not run again, so only an answer without calls is asked for once more.
      const isAnswer = outcome._tag === "Settled" && outcome.byTools !== true
      if (overflowed && isAnswer) return yield* recover(model, outcome)
      const shrunk = yield* shrink(model, overflowed ? "overflow" : "threshold")
      if (!overflowed) goesOn = shrunk && autoContinue && mayGoOn && isAnswer
      return outcome
    })

    /** Returns the outcome of the turn, or `Continue` if the model is to be called again after an overflow. */
    const afterTurn = (outcome: TurnOutcome) =>
      Effect.flatMap(currentModel, (model) => {
        if (outcome._tag === "Continue") mayGoOn = true
        if (!compaction.isEnabled()) return Effect.succeed(outcome)
        if (outcome._tag === "Failed") {
          const { failure } = outcome
          const overflowed = failure.reason === "context_overflow" && isOf(model, failure)
          return overflowed ? ifAffordable(recover(model, outcome), outcome) : Effect.succeed(outcome)
        }
        // An answer that is made anew, or is cut off, has not made the conversation longer.
        if (outcome._tag !== "Continue" && outcome._tag !== "Settled") return Effect.succeed(outcome)
        return Effect.flatMap(length.recent, (branch) => {
          const answer = ContextLength.newestAnswer(branch)
          const overflowed =
            answer !== undefined &&
            isOf(model, answer) &&
            CompactionPolicy.isSilentOverflow(answer, model.contextWindow)
          if (!overflowed && !length.isLong(branch, model)) return Effect.succeed(outcome)
          return ifAffordable(afterAnswer(model, outcome, overflowed), outcome)
        })
      })

    /** The message that continues the run after a stop. Taken once, so that it does not apply to a later stop. */
    const takeContinuation = () => {
      const told = goesOn ? continuation : undefined
      if (goesOn) mayGoOn = false
      goesOn = false
      return told
    }

    return {
      before,
      afterTurn,
      stopping: Effect.sync(takeContinuation),
      // Something else was queued: this stop is over.
      opening: () => Effect.sync(takeContinuation)
    }
  }
