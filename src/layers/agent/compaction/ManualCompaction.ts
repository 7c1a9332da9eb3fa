/**
 * The command `compact`: aborts the run if there is something to compact, compacts, and resumes the run if asked to
 * (protocol.md 3.5, supplement 5.3).
 */
import * as Effect from "effect/Effect"
import { isPrompted } from "../../../domain/inbox/State.ts"
import type { Model } from "../../../domain/model/Model.ts"
import { defined } from "../../../domain/Values.ts"
import {
  type Agent,
  AgentBusy,
  AgentClosing,
  type CompactOptions,
  type CompactOutcome,
  type PromptReceipt
} from "../../../services/Agent.ts"
import { CompactionFailed } from "../../../services/Compaction.ts"
import type { Compaction } from "./Compaction.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { Messages } from "../inbox/Messages.ts"

interface Dependencies {
  readonly compaction: Compaction
  /** The model in force, if it can be called. */
  readonly model: Effect.Effect<Model, CompactionFailed>
  readonly messages: Messages
  readonly late: LateRecords
  readonly abortRun: Effect.Effect<void>
  readonly prompt: (typeof Agent.Service)["prompt"]
}

type Answered = (outcome: CompactOutcome) => Effect.Effect<void>

const resumption = "The conversation was compacted in the middle of your work. Go on where you were."

/** Nothing else runs, so the prompt has started a run. */
const resumedAs = (outcome: CompactOutcome, { messageId = "", runId = "" }: PromptReceipt): CompactOutcome => ({
  ...outcome,
  resumed: { runId, messageId }
})

export const make = ({ abortRun, compaction, late, messages, model, prompt }: Dependencies) => {
  let active = 0

  const claim = Effect.suspend((): Effect.Effect<void, AgentBusy | AgentClosing> => {
    const decision = messages.decide({ _tag: "Compact" })
    if (decision._tag === "Refuse") return decision.code === "busy" ? new AgentBusy() : new AgentClosing()
    messages.tell({ _tag: "Compacting" })
    return Effect.void
  })

  const alone = Effect.fnUntraced(function* ({ customInstructions }: CompactOptions, chosen: Model) {
    const focus = defined({ customInstructions })
    return yield* yield* Effect.acquireUseRelease(
      claim,
      () => compaction.perform({ reason: "manual", model: chosen, ...focus }),
      () => Effect.map(late.store, () => void messages.tell({ _tag: "Settled" }))
    )
  })

  const resume = (outcome: CompactOutcome, answered: Answered) =>
    prompt({ text: resumption, literal: true }, (receipt) => answered(resumedAs(outcome, receipt))).pipe(
      Effect.map((receipt) => resumedAs(outcome, receipt)),
      // The conversation is compacted all the same.
      Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`the run was not resumed: ${message}`), outcome))
    )

  /** From the abort on, the session is compacting. */
  const perform = Effect.fnUntraced(function* (options: CompactOptions, chosen: Model, answered: Answered) {
    const abortedRun = isPrompted(messages.state())
    const told = abortedRun ? { abortedRun } : {}
    yield* abortRun
    const result = yield* Effect.catchTag(
      alone(options, chosen),
      "CompactionFailed",
      ({ message, reason }) => new CompactionFailed({ message, reason, ...told })
    )
    const outcome: CompactOutcome = { ...result, ...told }
    return abortedRun && options.resume === true ? yield* resume(outcome, answered) : outcome
  })

  const compact = Effect.fn("Agent.compact")(function* (
    options: CompactOptions,
    answered: Answered = () => Effect.void
  ) {
    const chosen = yield* model
    if (messages.state().isClosing) return yield* new AgentClosing()
    if (isPrompted(messages.state())) yield* compaction.check({ reason: "manual", model: chosen })
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => active++),
      () => perform(options, chosen, answered),
      () => Effect.sync(() => active--)
    )
  })

  return { compact, isActive: Effect.sync(() => active > 0) }
}
