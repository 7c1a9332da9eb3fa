/** The outer loop of a run: turns until the model has nothing more to do, and one proper end on every path. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { PromptStatus, RunFailure } from "../../domain/AgentEvent.ts"
import type { Model } from "../../domain/Model.ts"
import type { ModelFailure } from "../../services/ModelClient.ts"
import * as RunJournal from "./RunJournal.ts"
import type { RetryChain } from "./Retries.ts"
import type { TurnOutcome } from "./Turn.ts"

export interface RunResult {
  readonly status: PromptStatus
  readonly error?: RunFailure
}

interface Dependencies {
  readonly journal: RunJournal.RunJournal
  /** False when the budget is spent: the run ends normally, without a further model call. */
  readonly mayCallModel: Effect.Effect<boolean>
  readonly turn: Effect.Effect<TurnOutcome>
  readonly retries: RetryChain
  /** The model in force, for the closing message of a run that is cut off. */
  readonly model: Effect.Effect<Model>
}

const completed: RunResult = { status: "completed" }

const runFailure = (failure: ModelFailure): RunFailure => ({
  message: failure.message,
  provider: failure.provider,
  model: failure.model,
  ...(failure.httpStatus === undefined ? {} : { httpStatus: failure.httpStatus }),
  retryable: failure.retryable
})

/** The first turn has been opened with the prompt in it. */
const loop = Effect.fnUntraced(function* ({ journal, mayCallModel, retries, turn }: Dependencies) {
  while (true) {
    const outcome = yield* turn
    if (outcome._tag === "Failed" && !(yield* retries.again(outcome.failure))) {
      const failed: RunResult = { status: "error", error: runFailure(outcome.failure) }
      return failed
    }
    if (outcome._tag === "Settled" || !(yield* mayCallModel)) return completed
    yield* journal.startTurn
  }
})

/**
 * Runs the turns interruptibly and tidies up uninterruptibly: an abort is an interrupt of this fiber, a defect in the
 * loop or in a tool is reported, and either way everything that was open is closed before this returns. The fiber that
 * calls this is uninterruptible from its first step, so that a run which has begun always gets here.
 */
export const run = Effect.fnUntraced(function* (dependencies: Dependencies) {
  const exit = yield* Effect.exit(Effect.interruptible(loop(dependencies)))
  if (Exit.isSuccess(exit)) return exit.value
  const { journal, model, retries } = dependencies
  retries.stop("Retry cancelled")
  if (Cause.isInterruptedOnly(exit.cause)) {
    yield* journal.cutOff(RunJournal.aborted, yield* model)
    const aborted: RunResult = { status: "aborted" }
    return aborted
  }
  yield* Effect.logError("the run died", exit.cause)
  const message = `Internal error: ${Cause.squash(exit.cause)}`
  yield* journal.cutOff(RunJournal.failed(message), yield* model)
  const died: RunResult = { status: "error", error: { message, retryable: false } }
  return died
})
