/** Making a conversation fit its model again: what can go wrong, and where an embedder can take part (protocol.md 7.6). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CompactionReason, CompactionResult } from "../domain/compaction/CompactionResult.ts"
import type { CompactionEntry, Preparation } from "../domain/compaction/Preparation.ts"
import type { SessionEntry } from "../domain/session/SessionEntry.ts"

export class CompactionFailed extends Schema.TaggedError<CompactionFailed>()("CompactionFailed", {
  /** `no_progress`: the summary came out as long as what it was to replace. */
  reason: Schema.Literal(
    "already_compacted",
    "nothing_to_compact",
    "cancelled",
    "summarization_failed",
    "no_progress",
    "no_model",
    "missing_credentials"
  ),
  message: Schema.String
}) {}

export const cancelled = () => new CompactionFailed({ reason: "cancelled", message: "Compaction cancelled" })

/** What is about to be compacted. */
export interface CompactionPlan {
  readonly reason: CompactionReason
  readonly preparation: Preparation
  /** Root to leaf. */
  readonly branch: ReadonlyArray<SessionEntry>
  readonly tokensBefore: number
  readonly customInstructions?: string
}

/** A summary from somewhere else; what is not given is taken from the plan. */
export type SuppliedCompaction = Pick<CompactionResult, "summary" | "shortSummary" | "details" | "preserveData"> & {
  readonly firstKeptEntryId?: string
}

export type CompactionDecision =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Supply"; readonly compaction: SuppliedCompaction }

/** Has a default, so that nobody must provide it: every compaction proceeds. */
export class CompactionHooks extends Context.Reference<CompactionHooks>()("heddle/services/CompactionHooks", {
  defaultValue: (): {
    /** Before any model is asked; awaited without limit, ended by an abort. */
    readonly before: (plan: CompactionPlan) => Effect.Effect<CompactionDecision>
    /** After the entry is stored. */
    readonly after: (entry: CompactionEntry, reason: CompactionReason) => Effect.Effect<void>
  } => ({
    before: () => Effect.succeed({ _tag: "Proceed" }),
    after: () => Effect.void
  })
}) {}
