/** Summarises a branch that the user leaves (protocol.md 9.5). */
import * as Effect from "effect/Effect"
import * as Abandoned from "../../../../domain/compaction/Abandoned.ts"
import * as FileLists from "../../../../domain/compaction/FileLists.ts"
import * as SummaryPrompts from "../../../../domain/compaction/SummaryPrompts.ts"
import * as Transcript from "../../../../domain/compaction/Transcript.ts"
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import type { SessionEntry } from "../../../../domain/session/SessionEntry.ts"
import { defined } from "../../../../domain/Values.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import type { CompactionFailed } from "../../../../services/session/modules/Compaction.ts"
import type { Session } from "../../../../services/session/Session.ts"
import * as SummaryLedger from "./SummaryLedger.ts"
import * as Summarizer from "./Summarizer.ts"

export interface BranchSummaryTools extends Summarizer.SummaryTools {
  readonly session: typeof Session.Service
  readonly budget: SessionBudget
  /** Starts what a summary does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
}

export interface BranchSummaryRequest {
  readonly model: Model
  /** The branch that is left and the branch of the destination, each root to leaf. */
  readonly from: ReadonlyArray<SessionEntry>
  readonly to: ReadonlyArray<SessionEntry>
  readonly customInstructions?: string
}

export interface BranchSummary {
  readonly summary: string
  readonly details: JsonObject
}

const longestSummary = 2048

const make = Effect.fnUntraced(function* (
  tools: BranchSummaryTools,
  { customInstructions, from, model, to }: BranchSummaryRequest,
  ledger: SummaryLedger.SummaryLedger
) {
  const left = Abandoned.entries(from, to)
  const reserve = tools.settings["branchSummary.reserveTokens"]
  const room = model.contextWindow > 0 ? Math.max(1, model.contextWindow - reserve) : Number.POSITIVE_INFINITY
  const messages = Abandoned.messages(left, room)
  if (messages.length === 0) return undefined
  const focus = defined({ customInstructions })
  const prompt = SummaryPrompts.abandoned({ conversation: Transcript.serialize(messages, 4 * room), ...focus })
  const { sessionId } = yield* tools.session.info
  const summary = yield* Summarizer.summarize(tools, {
    source: "branchSummary",
    model,
    sessionId,
    prompt,
    maxTokens: Math.min(longestSummary, reserve),
    retries: true,
    ledger
  }).pipe(Summarizer.failedAs("Summarization"))
  const files = FileLists.collect(messages, Abandoned.details(left))
  const made: BranchSummary = { summary: FileLists.append(summary, files), details: { ...files } }
  return made
})

/** Undefined if no messages are left behind. */
export const summarize = (
  tools: BranchSummaryTools,
  request: BranchSummaryRequest
): Effect.Effect<BranchSummary | undefined, CompactionFailed> =>
  Effect.suspend(() => {
    const ledger = SummaryLedger.make(tools, request.model, { source: "branchSummary", refusal: "quiet" })
    return Effect.ensuring(make(tools, request, ledger), ledger.close)
  })
