/** One attempt to compact a session, from the plan to the stored entry. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as CompactionPolicy from "../../../../domain/compaction/CompactionPolicy.ts"
import type { CompactionReason, CompactionResult } from "../../../../domain/compaction/CompactionResult.ts"
import * as Preparation from "../../../../domain/compaction/Preparation.ts"
import * as ContextTokens from "../../../../domain/compaction/ContextTokens.ts"
import type { Model } from "../../../../domain/model/Model.ts"
import * as SessionContext from "../../../../domain/session/SessionContext.ts"
import type { NewEntry, OwnEntry, SessionEntry } from "../../../../domain/session/SessionEntry.ts"
import { defined } from "../../../../domain/Values.ts"
import type { SessionBudget } from "../../../../services/session/modules/Budget.ts"
import {
  cancelled,
  CompactionFailed,
  type CompactionPlan,
  type SuppliedCompaction,
  tooSmall
} from "../../../../services/session/modules/Compaction.ts"
import type { Session } from "../../../../services/session/Session.ts"
import * as Asking from "../hooks/Asking.ts"
import type { HookRegistry } from "../hooks/HookRegistry.ts"
import * as ContextLength from "./ContextLength.ts"
import * as Handoff from "../../changes/Handoff.ts"
import * as SummaryLedger from "./SummaryLedger.ts"
import type { SummaryTools } from "./Summarizer.ts"
import * as Summaries from "./Summaries.ts"

export interface AttemptTools extends SummaryTools, Handoff.HandoffTools {
  readonly session: typeof Session.Service
  readonly budget: SessionBudget
  readonly hooks: HookRegistry
  /** Starts what an attempt does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
}

export interface AttemptRequest {
  readonly reason: CompactionReason
  readonly model: Model
  readonly customInstructions?: string
  /** The newest answer failed: it leaves the conversation and stays in the session. */
  readonly dropsAnswer: boolean
  /** A handoff: the run continues in a new session. */
  readonly handsOff: boolean
}

const longestNoticeMs = 5000

/** The branch without a dropped answer and the placeholder results of its calls. */
const considered = (branch: ReadonlyArray<SessionEntry>, { dropsAnswer }: AttemptRequest) =>
  dropsAnswer
    ? branch.slice(
        0,
        branch.findLastIndex((entry) => entry.type === "message" && entry.message.role === "assistant")
      )
    : branch

interface Measured {
  readonly plan: CompactionPlan
  /** Provider's count against our estimate. */
  readonly ratio: number
}

const measure = (
  branch: ReadonlyArray<SessionEntry>,
  { customInstructions, model, reason }: AttemptRequest,
  limits: CompactionPolicy.CompactionLimits
): Either.Either<Measured, CompactionFailed> => {
  const { basis, tokens } = ContextTokens.ofBranch(branch)
  const ratio = basis === "usage" ? CompactionPolicy.underestimate(SessionContext.conversation(branch)) : 1
  const keep = CompactionPolicy.tokensToKeep(model.contextWindow, limits, ratio)
  // The provider has refused the context as it is: whatever can go must go.
  const tries = reason === "overflow" ? [keep, keep / 4, 0] : [keep]
  let prepared = Preparation.prepare(branch, keep)
  for (const less of tries) if (Either.isLeft(prepared)) prepared = Preparation.prepare(branch, less)
  const focus = defined({ customInstructions })
  return Either.mapBoth(prepared, {
    onLeft: (refusal) => new CompactionFailed({ reason: refusal, message: tooSmall[refusal] }),
    onRight: (preparation) => ({ plan: { reason, preparation, branch, tokensBefore: tokens, ...focus }, ratio })
  })
}

type Compacted = Extract<NewEntry, { readonly type: "compaction" }>

/** Fails unless the conversation becomes shorter. Otherwise the next turn would compact it again. */
const checkProgress = ({ plan, ratio }: Measured, entry: Compacted): Either.Either<number, CompactionFailed> => {
  const before = ContextTokens.estimateAll(SessionContext.conversation(plan.branch))
  const placed = { ...entry, id: "", parentId: null, timestamp: "" }
  const after = ContextTokens.estimateAll(SessionContext.conversation([...plan.branch, placed]))
  const summary = Math.ceil(entry.summary.length / 4)
  const replaced = Math.round((before - (after - summary)) * ratio)
  if (summary < replaced) return Either.right(after)
  const message = `The summary has about ${summary} tokens and what it would replace only ${replaced}; the conversation was left as it is`
  return Either.left(new CompactionFailed({ reason: "no_progress", message }))
}

const toEntry = ({ preparation, tokensBefore }: CompactionPlan, made: SuppliedCompaction): Compacted => {
  const preserveData = made.preserveData ?? preparation.previous?.preserveData
  return {
    type: "compaction",
    summary: made.summary,
    ...defined({ shortSummary: made.shortSummary }),
    firstKeptEntryId: made.firstKeptEntryId ?? preparation.firstKeptEntryId,
    tokensBefore,
    ...defined({ details: made.details, preserveData })
  }
}

/** Entries that are not copied, because their usage would be counted twice. */
const staysBehind = ({ type }: OwnEntry) => type === "message" || type === "usage"

/** Moves the leaf to the end of the considered branch, and copies other entries that were added since. */
const leaveAnswer = Effect.fnUntraced(function* (session: AttemptTools["session"], kept: ReadonlyArray<SessionEntry>) {
  const branch = yield* Effect.interruptible(session.branch)
  // The entry was just on the branch, so it exists.
  yield* Effect.orDie(session.moveTo(kept.at(-1)?.id ?? null))
  for (const entry of branch.slice(kept.length)) {
    if (entry.type !== "foreign" && !staysBehind(entry)) yield* session.append(entry)
  }
})

/** When the new session cannot be created, compacts the old one, because the run needs the room. */
const handOff = (tools: AttemptTools, model: Model, entry: Compacted) =>
  Effect.catchAll(Handoff.move(tools, model, entry), ({ message }) => {
    const notice = `The session was compacted in place of a handoff: ${message}`
    tools.publish({ _tag: "Notice", level: "warning", message: notice, source: "compaction" })
    return tools.session.append(entry)
  })

/** An abort ends the notice. The compaction is stored by then, and stays. */
const notify = ({ hooks }: AttemptTools, stored: Preparation.CompactionEntry, reason: CompactionReason) =>
  Effect.catchAllCause(
    Effect.interruptible(Asking.tell(hooks, "compacted", { entry: stored, reason }, longestNoticeMs)),
    (cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : Effect.failCause(cause))
  )

/** All of it or nothing: an abort comes before or after. */
const store = Effect.fnUntraced(function* (
  tools: AttemptTools,
  request: AttemptRequest,
  ledger: SummaryLedger.SummaryLedger,
  { branch, entry }: Prepared
) {
  const { session } = tools
  if (request.dropsAnswer) yield* leaveAnswer(session, branch)
  yield* ledger.flush
  const stored = yield* request.handsOff ? handOff(tools, request.model, entry) : session.append(entry)
  yield* session.sync
  if (stored?.type !== "compaction") return entry.firstKeptEntryId
  yield* notify(tools, stored, request.reason)
  return stored.firstKeptEntryId
})

/** Fails as an attempt would that finds nothing to compact. */
export const check = (
  { session, settings }: AttemptTools,
  request: AttemptRequest
): Effect.Effect<void, CompactionFailed> =>
  Effect.flatMap(session.branch, (branch) =>
    Either.map(measure(considered(branch, request), request, ContextLength.limitsOf(settings)), () => {})
  )

interface Prepared {
  readonly branch: ReadonlyArray<SessionEntry>
  readonly entry: Compacted
  readonly estimatedTokensAfter: number
}

/** Everything that comes before the entry is stored. */
const prepare = Effect.fnUntraced(function* (
  tools: AttemptTools,
  request: AttemptRequest,
  ledger: SummaryLedger.SummaryLedger
) {
  const { hooks, session, settings } = tools
  const { sessionId } = yield* session.info
  const branch = considered(yield* session.branch, request)
  const measured = yield* measure(branch, request, ContextLength.limitsOf(settings))
  const { plan } = measured
  const decision = yield* Asking.compacting(hooks, plan)
  if (decision._tag === "Cancel") return yield* cancelled()
  const asking = { tools, ledger, sessionId, model: request.model, plan }
  const supplied = decision._tag === "Supply" ? decision.compaction : undefined
  const long = supplied ?? (yield* Summaries.long(asking))
  const estimatedTokensAfter = yield* checkProgress(measured, toEntry(plan, long))
  const made = supplied ?? { ...long, ...(yield* Summaries.short(asking, long.summary)) }
  const origin = supplied === undefined ? {} : { fromExtension: true }
  const prepared: Prepared = { branch, entry: { ...toEntry(plan, made), ...origin }, estimatedTokensAfter }
  return prepared
})

const make = Effect.fnUntraced(function* (
  tools: AttemptTools,
  request: AttemptRequest,
  ledger: SummaryLedger.SummaryLedger
) {
  const prepared = yield* Effect.interruptible(prepare(tools, request, ledger))
  const usage = ledger.total()
  const firstKeptEntryId = yield* store(tools, request, ledger, prepared)
  const { fromExtension: _origin, type: _type, ...result } = prepared.entry
  const compacted: CompactionResult = {
    ...result,
    firstKeptEntryId,
    estimatedTokensAfter: prepared.estimatedTokensAfter,
    ...defined({ usage })
  }
  return compacted
})

/**
 * What calls have cost is written down however the attempt ends. To be called in an uninterruptible fiber: an abort
 * that comes after the entry was stored does not change the result.
 */
export const run = (tools: AttemptTools, request: AttemptRequest): Effect.Effect<CompactionResult, CompactionFailed> =>
  Effect.suspend(() => {
    // A compaction that was asked for works also when the budget is spent (protocol.md 15).
    const refusal = request.reason === "manual" ? "never" : "quiet"
    const ledger = SummaryLedger.make(tools, request.model, { source: "compaction", refusal })
    return Effect.ensuring(make(tools, request, ledger), ledger.close)
  })
