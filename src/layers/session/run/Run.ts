/** The outer loop of a run: turns until the model has nothing more to do, and one proper end on every path. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { PromptStatus, RunFailure } from "../../../domain/conversation/AgentEvent.ts"
import type { DrainPoint } from "../../../domain/conversation/MessageQueue.ts"
import type { Model } from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"
import type { BudgetExceeded, NoPrice } from "../../../services/session/modules/Budget.ts"
import type { ModelFailure } from "../../../services/model/ModelClient.ts"
import type { TurnOutcome } from "../../../services/session/RunStep.ts"
import type { Delivery } from "../inbox/Delivery.ts"
import * as RunJournal from "./RunJournal.ts"
import type { RunSteps } from "./RunSteps.ts"

export interface RunResult {
  readonly status: PromptStatus
  readonly error?: RunFailure
  /** The model has nothing more to do, so messages that are queued at the very end continue the run. */
  readonly mayGoOn: boolean
}

export const completed: RunResult = { status: "completed", mayGoOn: true }

/** Ended without a further model call: queued messages wait for the next prompt. */
const stopped: RunResult = { status: "completed", mayGoOn: false }

/** Cut off where the model wanted to go on. What it said and what its tools answered is stored. */
const atLimit = Effect.fnUntraced(function* ({ journal, limit: { message }, model }: Dependencies) {
  yield* journal.cutOff(RunJournal.failed(message), yield* model)
  const result: RunResult = { status: "error", error: { message, retryable: false }, mayGoOn: false }
  return result
})

const refusal = (refused: BudgetExceeded | NoPrice): RunResult => ({
  status: "error",
  error: {
    message: refused.message,
    code: refused._tag === "BudgetExceeded" ? "budget_exceeded" : "no_price",
    retryable: false
  },
  mayGoOn: false
})

/** The model call was refused. A turn that is open gets a message that says so; otherwise the last one stays as it is. */
const refuse = Effect.fnUntraced(function* (
  { journal, model, steps }: Dependencies,
  refused: BudgetExceeded | NoPrice,
  isOpen: boolean
) {
  steps.failed(refused.message)
  if (isOpen) yield* journal.cutOff(RunJournal.failed(refused.message), yield* model)
  return refusal(refused)
})

/** Counts the turns of a run against the setting `maxTurns`. */
export interface TurnLimit {
  readonly count: () => void
  readonly isReached: () => boolean
  readonly message: string
}

export const makeLimit = (maxTurns: number | undefined): TurnLimit => {
  let turns = 0
  return {
    count: () => void turns++,
    isReached: () => maxTurns !== undefined && turns >= maxTurns,
    message: `The run has reached its limit of ${maxTurns} turns (setting maxTurns); send another prompt to go on`
  }
}

export interface Dependencies {
  readonly delivery: Delivery
  readonly journal: RunJournal.RunJournal
  /** Whether the budget lets queued messages continue the run; publishes nothing. */
  readonly mayGoOn: Effect.Effect<boolean>
  /** Reserves the next model call. */
  readonly reserve: Effect.Effect<void, BudgetExceeded | NoPrice>
  /** Counts the time of the run, and ends it when that is spent. */
  readonly timed: <A>(effect: Effect.Effect<A>) => Effect.Effect<A, BudgetExceeded>
  readonly turn: Effect.Effect<TurnOutcome>
  readonly limit: TurnLimit
  readonly steps: Pick<RunSteps, "opening" | "failed">
  /** The model in force, for the closing message of a run that is cut off. */
  readonly model: Effect.Effect<Model>
}

const runFailure = (failure: ModelFailure): RunFailure => ({
  message: failure.message,
  provider: failure.provider,
  model: failure.model,
  ...defined({ httpStatus: failure.httpStatus }),
  retryable: failure.retryable
})

const loop = Effect.fnUntraced(function* (dependencies: Dependencies, from: DrainPoint) {
  const { delivery, limit, mayGoOn, reserve, steps, turn } = dependencies
  let point = from
  let mayStop = from === "settled"
  let isRetry = false
  while (true) {
    if (point === "settled" && !(yield* mayGoOn)) return stopped
    if (limit.isReached()) return mayStop ? stopped : yield* atLimit(dependencies)
    if (point === "settled" && !(yield* delivery.open(point, isRetry))) return completed
    const reserved = yield* Effect.either(reserve)
    if (Either.isLeft(reserved)) return yield* refuse(dependencies, reserved.left, point !== "continue")
    if (point !== "settled" && !(yield* delivery.open(point, isRetry))) {
      dependencies.journal.release()
      return completed
    }
    yield* steps.opening(delivery.inject)
    const outcome = yield* turn
    mayStop = outcome._tag === "Settled" || outcome._tag === "GoesOn"
    point = outcome._tag === "Settled" ? "settled" : "continue"
    isRetry = outcome._tag === "Again"
    if (mayStop || outcome._tag === "Continue") limit.count()
    if (outcome._tag === "Failed") {
      steps.failed(outcome.failure.message)
      const failed: RunResult = { status: "error", error: runFailure(outcome.failure), mayGoOn: false }
      return failed
    }
  }
})

/**
 * Runs the turns and tidies up: an abort is an interrupt of the turns, a defect in the loop or in a tool is reported,
 * and either way everything that was open is closed before this returns. `before` is how the step before the turns
 * ended. To be called in an uninterruptible fiber, so that a run which has begun always gets to its end.
 */
export const run = Effect.fnUntraced(function* (
  dependencies: Dependencies,
  from: DrainPoint,
  before: Exit.Exit<void, BudgetExceeded> = Exit.void
) {
  const turns = Effect.zipRight(before, dependencies.timed(Effect.interruptible(loop(dependencies, from))))
  const exit = yield* Effect.exit(turns)
  if (Exit.isSuccess(exit)) return exit.value
  const { journal, model, steps } = dependencies
  const outOfTime = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (outOfTime !== undefined) {
    steps.failed(outOfTime.message)
    yield* journal.cutOff(RunJournal.outOfTime, yield* model)
    return refusal(outOfTime)
  }
  steps.failed("Retry cancelled")
  if (Cause.isInterruptedOnly(exit.cause)) {
    yield* journal.cutOff(RunJournal.aborted, yield* model)
    const aborted: RunResult = { status: "aborted", mayGoOn: false }
    return aborted
  }
  yield* Effect.logError("the run died", exit.cause)
  const message = `Internal error: ${Cause.squash(exit.cause)}`
  yield* journal.cutOff(RunJournal.failed(message), yield* model)
  const died: RunResult = { status: "error", error: { message, retryable: false }, mayGoOn: false }
  return died
})
