/**
 * Compactions as hosts see them. Two families of hosts know them by two names, so automatic ones are told under both,
 * one around the other; manual ones under the name that knows them (supplement 5.1).
 */
import type { AgentEvent, CompactionRef } from "../../domain/conversation/AgentEvent.ts"

export type CompactionEvent = Extract<AgentEvent, { readonly _tag: "CompactionStarted" | "CompactionEnded" }>

const refer = ({ compactionId, runId }: CompactionRef) => ({ compactionId, ...(runId === undefined ? {} : { runId }) })

/** Absent members are left out by the encoder. */
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
