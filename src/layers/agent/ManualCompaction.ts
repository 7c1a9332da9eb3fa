/** The command `compact`: ends the run, compacts, and goes on with the run where that was asked for (supplement 5.3). */
import * as Effect from "effect/Effect"
import type { Model } from "../../domain/Model.ts"
import type { Agent, AgentBusy, AgentClosing, CompactOptions, CompactOutcome } from "../../services/Agent.ts"
import type { CompactionFailed } from "../../services/Compaction.ts"
import type { Compaction } from "./Compaction.ts"

interface Dependencies {
  readonly compaction: Compaction
  /** The model in force, if it can be called. */
  readonly model: Effect.Effect<Model, CompactionFailed>
  readonly isBusy: Effect.Effect<boolean>
  readonly abortRun: Effect.Effect<void>
  /** Keeps prompts away until it is freed. */
  readonly claim: Effect.Effect<void, AgentBusy | AgentClosing>
  readonly free: Effect.Effect<void>
  readonly prompt: (typeof Agent.Service)["prompt"]
}

const resumption = "The conversation was compacted in the middle of your work. Go on where you were."

export const make = ({ abortRun, claim, compaction, free, isBusy, model, prompt }: Dependencies) => {
  let active = 0

  const alone = Effect.fnUntraced(function* ({ customInstructions }: CompactOptions, chosen: Model) {
    const focus = customInstructions === undefined ? {} : { customInstructions }
    return yield* yield* Effect.acquireUseRelease(
      claim,
      () => compaction.perform({ reason: "manual", model: chosen, ...focus }),
      () => free
    )
  })

  const resume = (outcome: CompactOutcome, answered: (outcome: CompactOutcome) => Effect.Effect<void>) =>
    prompt({ text: resumption }, (resumed) => answered({ ...outcome, resumed })).pipe(
      Effect.map((resumed): CompactOutcome => ({ ...outcome, resumed })),
      // The conversation is compacted all the same.
      Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`the run was not resumed: ${message}`), outcome))
    )

  const compact = Effect.fn("Agent.compact")(function* (
    options: CompactOptions,
    answered: (outcome: CompactOutcome) => Effect.Effect<void> = () => Effect.void
  ) {
    const chosen = yield* model
    const abortedRun = yield* isBusy
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
