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

/**
 * What early pi hosts are told: one event when a compaction has replaced part of the conversation. The failure of an
 * automatic one is an error; that of the command is in its response.
 */
export const toEvents = (event: CompactionEvent): ReadonlyArray<object> => {
  if (event._tag === "CompactionStarted") return []
  const { aborted, errorMessage, reason, result, skipped } = event
  const isManual = reason === "manual"
  if (result !== undefined) {
    const { summary, tokensBefore } = result
    return [{ type: "compaction", summary, tokensBefore, ...(isManual ? {} : { auto: true }), ...refer(event) }]
  }
  const isOver = isManual || aborted || skipped === true || errorMessage === undefined
  return isOver ? [] : [{ type: "error", error: errorMessage }]
}

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
