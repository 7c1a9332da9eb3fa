/** Compaction: its failures, and what hooks learn of one and may decide (protocol.md 7.6). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../domain/conversation/Content.ts"
import type { CompactionReason, CompactionResult } from "../domain/compaction/CompactionResult.ts"
import type { Preparation } from "../domain/compaction/Preparation.ts"
import type { SessionEntry } from "../domain/session/SessionEntry.ts"
import type { Place } from "./session/Inbox.ts"

export class CompactionFailed extends Schema.TaggedError<CompactionFailed>()("CompactionFailed", {
  /** `no_progress`: the summary is as long as the messages that it would replace. */
  reason: Schema.Literal(
    "already_compacted",
    "nothing_to_compact",
    "cancelled",
    "summarization_failed",
    "no_progress",
    "no_model",
    "missing_credentials",
    "budget_exceeded",
    "no_price"
  ),
  message: Schema.String,
  /** The command `compact` had aborted a run before it failed. */
  abortedRun: optional(Schema.Boolean)
}) {}

/** Nothing went wrong: there is not enough to compact yet. */
export const tooSmall = {
  already_compacted: "Already compacted",
  nothing_to_compact: "Nothing to compact (session too small)"
} as const

export const isTooSmall = ({ reason }: Pick<CompactionFailed, "reason">) => reason in tooSmall

export const cancelled = () => new CompactionFailed({ reason: "cancelled", message: "Compaction cancelled" })

/** What a compaction will do, before any model is called. */
export interface CompactionPlan {
  readonly reason: CompactionReason
  readonly preparation: Preparation
  /** Root to leaf. */
  readonly branch: ReadonlyArray<SessionEntry>
  readonly tokensBefore: number
  readonly customInstructions?: string
}

/** A summary that a hook supplies. Absent members are taken from the plan. */
export type SuppliedCompaction = Pick<CompactionResult, "summary" | "shortSummary" | "details" | "preserveData"> & {
  readonly firstKeptEntryId?: string
}

export type CompactionDecision =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Supply"; readonly compaction: SuppliedCompaction }

/** The compactions of a session, as hosts switch them. */
export class Compactions extends Context.Tag("heddle/services/Compactions")<
  Compactions,
  {
    /** Whether a conversation that becomes too long is compacted by itself. */
    readonly isEnabled: () => boolean
    /** Takes effect in the current run, too. */
    readonly setEnabled: (enabled: boolean) => Effect.Effect<void>
    /** Cancels the current compaction, and returns after its last event. A run that waited for it continues. */
    readonly cancel: Effect.Effect<void>
    /** The same, also for one that begins before the place is reached. Returns when the current one has ended. */
    readonly cancelUntil: (place: Place) => Effect.Effect<void>
  }
>() {}
