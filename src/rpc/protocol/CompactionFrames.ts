/**
 * Compactions as hosts see them. Two families of hosts have two names for them: an automatic compaction sends the frames
 * of both, one pair around the other; a manual one sends those of the family that has manual ones (supplement 5.1).
 */
import type { AgentEvent, CompactionRef } from "../../domain/conversation/AgentEvent.ts"

export type CompactionEvent = Extract<AgentEvent, { readonly _tag: "CompactionStarted" | "CompactionEnded" }>

const refer = ({ compactionId, runId }: CompactionRef) => ({ compactionId, ...(runId === undefined ? {} : { runId }) })

/** The encoder leaves out absent members. */
const outcome = (event: Extract<CompactionEvent, { readonly _tag: "CompactionEnded" }>) => ({
  result: event.result,
  aborted: event.aborted,
  willRetry: event.willRetry,
  errorMessage: event.errorMessage,
  skipped: event.skipped
})

export const toFrames = (event: CompactionEvent): ReadonlyArray<object> => {
  const { action, reason } = event
  if (event._tag === "CompactionStarted") {
    const frame = { type: "compaction_start", reason, ...refer(event) }
    return reason === "manual" ? [frame] : [{ type: "auto_compaction_start", reason, action, ...refer(event) }, frame]
  }
  const frame = { type: "compaction_end", reason, ...outcome(event), ...refer(event) }
  return reason === "manual"
    ? [frame]
    : [frame, { type: "auto_compaction_end", action, ...outcome(event), ...refer(event) }]
}
