/** Schemas of the records about compactions, and about the calls for a summary that are made again. */
import * as Schema from "effect/Schema"
import { CompactionReason, CompactionResult } from "../../domain/compaction/CompactionResult.ts"
import { optional } from "../../domain/conversation/Content.ts"

const compaction = { compactionId: Schema.String, runId: optional(Schema.String) }
const compactionEnd = {
  result: optional(CompactionResult),
  aborted: Schema.Boolean,
  willRetry: Schema.Boolean,
  errorMessage: optional(Schema.String),
  skipped: optional(Schema.Boolean),
  ...compaction
}
const action = Schema.Literal("context-full", "handoff")

const event = <Fields extends Schema.Struct.Fields>(type: string, summary: string, fields: Fields) => ({
  type,
  summary,
  fields
})

export const compactionEvents = [
  event("auto_compaction_start", "The older part of the conversation is about to be replaced by a summary.", {
    reason: Schema.Literal("threshold", "overflow", "idle"),
    action,
    ...compaction
  }),
  event("compaction_start", "The same for hosts that know this name; the only start frame of the command `compact`.", {
    reason: CompactionReason,
    ...compaction
  }),
  event("compaction_end", "The compaction has ended. With a `result` it has replaced part of the conversation.", {
    reason: CompactionReason,
    ...compactionEnd
  }),
  event("auto_compaction_end", "The same for hosts that know this name; not sent for the command `compact`.", {
    action,
    ...compactionEnd
  }),
  event("compaction", "In place of the four in the dialect `pi-early`, when a compaction has succeeded.", {
    summary: Schema.String,
    tokensBefore: Schema.Finite,
    auto: optional(Schema.Boolean),
    ...compaction
  }),
  event("summarization_retry_scheduled", "The call for a summary failed and is made again after `delayMs`.", {
    attempt: Schema.Int,
    maxAttempts: Schema.Int,
    delayMs: Schema.Finite,
    errorMessage: Schema.String
  }),
  event("summarization_retry_attempt_start", "The wait has ended, and the call for a summary is made again.", {
    source: Schema.Literal("compaction", "branchSummary"),
    reason: optional(CompactionReason)
  }),
  event("summarization_retry_finished", "The call for a summary has succeeded, or is not retried any more.", {})
]
