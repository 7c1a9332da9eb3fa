/** The command `compact`: aborts the run, compacts, and resumes the run if asked to (supplement 5.3). */
import * as Effect from "effect/Effect"
import type { Model } from "../../../domain/model/Model.ts"
import type {
  Agent,
  AgentBusy,
  AgentClosing,
  CompactOptions,
  CompactOutcome,
  PromptReceipt
} from "../../../services/Agent.ts"
import type { CompactionFailed } from "../../../services/Compaction.ts"
import type { Compaction } from "./Compaction.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { RunState } from "../run/RunState.ts"

interface Dependencies {
  readonly compaction: Compaction
  /** The model in force, if it can be called. */
  readonly model: Effect.Effect<Model, CompactionFailed>
  readonly state: RunState
  readonly late: LateRecords
  readonly abortRun: Effect.Effect<void>
  readonly prompt: (typeof Agent.Service)["prompt"]
}

const resumption = "The conversation was compacted in the middle of your work. Go on where you were."

/** Nothing else runs, so the prompt has started a run. */
const resumedAs = (outcome: CompactOutcome, { messageId, runId = "" }: PromptReceipt): CompactOutcome => ({
  ...outcome,
  resumed: { runId, messageId }
})

export const make = ({ abortRun, compaction, late, model, prompt, state }: Dependencies) => {
  let active = 0

  const claim = Effect.suspend((): Effect.Effect<void, AgentBusy | AgentClosing> => state.compact() ?? Effect.void)

  const alone = Effect.fnUntraced(function* ({ customInstructions }: CompactOptions, chosen: Model) {
    const focus = customInstructions === undefined ? {} : { customInstructions }
    return yield* yield* Effect.acquireUseRelease(
      claim,
      () => compaction.perform({ reason: "manual", model: chosen, ...focus }),
      () => Effect.zipRight(late.store, Effect.sync(state.settle))
    )
  })

  const resume = (outcome: CompactOutcome, answered: (outcome: CompactOutcome) => Effect.Effect<void>) =>
    prompt({ text: resumption }, (receipt) => answered(resumedAs(outcome, receipt))).pipe(
      Effect.map((receipt) => resumedAs(outcome, receipt)),
      // The conversation is compacted all the same.
      Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`the run was not resumed: ${message}`), outcome))
    )

  const compact = Effect.fn("Agent.compact")(function* (
    options: CompactOptions,
    answered: (outcome: CompactOutcome) => Effect.Effect<void> = () => Effect.void
  ) {
    const chosen = yield* model
    const abortedRun = state.isBusy()
    yield* abortRun
    const result = yield* alone(options, chosen)
    const outcome: CompactOutcome = { ...result, ...(abortedRun ? { abortedRun } : {}) }
    return abortedRun && options.resume === true ? yield* resume(outcome, answered) : outcome
  })

  return {
    compact: (...args: Parameters<typeof compact>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => active++),
        () => compact(...args),
        () => Effect.sync(() => active--)
      ),
    isActive: Effect.sync(() => active > 0)
  }
}
