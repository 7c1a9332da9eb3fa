/** The result of a compaction (protocol.md 3.5, supplement 1.1). */
import * as Schema from "effect/Schema"
import { JsonObject, optional } from "../conversation/Content.ts"
import { lazy, type Type } from "../Lazy.ts"
import { Usage } from "../model/Usage.ts"

export const CompactionReason = lazy(() => Schema.Literal("manual", "threshold", "overflow", "idle"))
export type CompactionReason = Type<typeof CompactionReason>

export const CompactionResult = lazy(() =>
  Schema.Struct({
    summary: Schema.String,
    shortSummary: optional(Schema.String),
    firstKeptEntryId: Schema.String,
    tokensBefore: Schema.Finite,
    details: optional(JsonObject()),
    preserveData: optional(JsonObject()),
    /** An estimate, because no provider has counted the new context yet. */
    estimatedTokensAfter: optional(Schema.Finite),
    /** The sum over the model calls for the summary; absent if none was made. */
    usage: optional(Usage())
  }).annotations({ identifier: "CompactionResult" })
)
export type CompactionResult = Type<typeof CompactionResult>
