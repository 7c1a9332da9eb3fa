/** The result of a compaction (protocol.md 3.5, supplement 1.1). */
import * as Schema from "effect/Schema"
import { described, JsonObject, optional } from "../conversation/Content.ts"
import { Usage } from "../model/Usage.ts"

export const CompactionReason = Schema.Literal("manual", "threshold", "overflow", "idle")
export type CompactionReason = typeof CompactionReason.Type

export const CompactionResult = Schema.Struct({
  summary: Schema.String,
  shortSummary: optional(Schema.String, "Two or three sentences, for lists of sessions."),
  firstKeptEntryId: described(Schema.String, "The first entry that was not replaced by the summary."),
  tokensBefore: described(Schema.Finite, "The size of the context before the compaction."),
  details: optional(JsonObject, "The files that were read and changed."),
  preserveData: optional(JsonObject, "Data that an extension supplied."),
  estimatedTokensAfter: optional(Schema.Finite, "An estimate, because no provider has counted the new context yet."),
  usage: optional(Usage, "The sum over the model calls for the summary; absent if there were none.")
}).annotations({ identifier: "CompactionResult", description: "The result of a compaction." })
export type CompactionResult = typeof CompactionResult.Type
