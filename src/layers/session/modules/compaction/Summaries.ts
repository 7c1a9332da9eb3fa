/** The texts of a compaction: history and the beginning of a split turn side by side, then a short form (protocol.md 7.4). */
import * as Effect from "effect/Effect"
import * as FileLists from "../../../../domain/compaction/FileLists.ts"
import * as SummaryPrompts from "../../../../domain/compaction/SummaryPrompts.ts"
import * as Transcript from "../../../../domain/compaction/Transcript.ts"
import type { AgentMessage } from "../../../../domain/conversation/Message.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import { defined } from "../../../../domain/Values.ts"
import type { CompactionPlan } from "../../../../services/session/modules/Compaction.ts"
import type { SummaryLedger } from "./SummaryLedger.ts"
import * as Summarizer from "./Summarizer.ts"

interface Asking {
  readonly tools: Summarizer.SummaryTools
  readonly ledger: SummaryLedger
  readonly sessionId: string
  readonly model: Model
  readonly plan: CompactionPlan
}

/** The tokens of the instructions around a conversation, roughly. */
const promptTokens = 1500

/** Characters of conversation that fit beside the answer; all of it if the window is unknown. */
export const roomFor = ({ contextWindow, maxTokens }: Model, answer: number): number =>
  contextWindow > 0
    ? Math.max(4 * 500, 4 * (contextWindow - Math.min(answer, maxTokens) - promptTokens))
    : Number.POSITIVE_INFINITY

const ask = ({ ledger, model, plan, sessionId, tools }: Asking, prompt: string, maxTokens: number, retries: boolean) =>
  Summarizer.summarize(tools, {
    source: "compaction",
    reason: plan.reason,
    model,
    sessionId,
    prompt,
    maxTokens,
    retries,
    ledger
  })

/** Without new messages, the previous summary stays as it is. */
const historySummary = (asking: Asking) => {
  const { customInstructions, preparation } = asking.plan
  const { history, previous } = preparation
  const previousSummary = previous === undefined ? undefined : FileLists.strip(previous.summary)
  if (history.length === 0) return Effect.succeed(previousSummary)
  const maxTokens = 0.8 * asking.tools.settings["compaction.reserveTokens"]
  const room = roomFor(asking.model, maxTokens) - (previousSummary?.length ?? 0)
  const prompt = SummaryPrompts.history({
    conversation: Transcript.serialize(history, room),
    ...defined({ previousSummary, customInstructions })
  })
  return Summarizer.failedAs("Summarization")(ask(asking, prompt, maxTokens, true))
}

const prefixSummary = (asking: Asking) => {
  const prefix: ReadonlyArray<AgentMessage> = asking.plan.preparation.prefix
  if (prefix.length === 0) return Effect.succeed(undefined)
  const maxTokens = 0.5 * asking.tools.settings["compaction.reserveTokens"]
  const conversation = Transcript.serialize(prefix, roomFor(asking.model, maxTokens))
  return Summarizer.failedAs("Turn prefix summarization")(
    ask(asking, SummaryPrompts.prefix({ conversation }), maxTokens, true)
  )
}

/** The summary that takes the place of the conversation, with the files it was about. */
export const long = Effect.fnUntraced(function* (asking: Asking) {
  const { history, prefix, previous } = asking.plan.preparation
  const [before, turn] = yield* Effect.all([historySummary(asking), prefixSummary(asking)], { concurrency: 2 })
  const files = FileLists.collect([...history, ...prefix], [previous?.details])
  return { summary: FileLists.append(SummaryPrompts.merge(before, turn), files), details: { ...files } }
})

/** A short summary for lists of sessions. A compaction succeeds without it. */
export const short = (asking: Asking, summary: string) => {
  const maxTokens = Math.min(512, 0.2 * asking.tools.settings["compaction.reserveTokens"])
  const prompt = SummaryPrompts.shortSummary(FileLists.strip(summary))
  return ask(asking, prompt, maxTokens, false).pipe(
    Effect.map((shortSummary) => ({ shortSummary })),
    Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`no short summary: ${message}`), {}))
  )
}
