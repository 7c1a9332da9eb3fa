/**
 * Compactions as hosts see them. Two families of hosts have two names for them: an automatic compaction sends the frames
 * of both, one pair around the other; a manual one sends those of the family that has manual ones (supplement 5.1).
 */
import * as AgentEvent from "../../../domain/conversation/AgentEvent.ts"

type CompactionEvent = AgentEvent.EventOf<"CompactionStarted" | "CompactionEnded">

/**
 * What early pi hosts get: one event when a compaction has replaced part of the conversation. The failure of an
 * automatic one is an error; that of the command is in its response.
 */
export const toEvents = (event: CompactionEvent): ReadonlyArray<object> => {
  if (event._tag === "CompactionStarted") return []
  const { aborted, compactionId, errorMessage, reason, result, runId, skipped } = event
  const isManual = reason === "manual"
  if (result !== undefined) {
    const { summary, tokensBefore } = result
    return [{ type: "compaction", summary, tokensBefore, auto: isManual ? undefined : true, compactionId, runId }]
  }
  const isOver = isManual || aborted || skipped === true || errorMessage === undefined
  return isOver ? [] : [{ type: "error", error: errorMessage }]
}

export const toFrames = (event: CompactionEvent): ReadonlyArray<object> => {
  const { action, reason, ...rest } = AgentEvent.members(event)
  if (event._tag === "CompactionStarted") {
    const frame = { type: "compaction_start", reason, ...rest }
    return reason === "manual" ? [frame] : [{ type: "auto_compaction_start", reason, action, ...rest }, frame]
  }
  const frame = { type: "compaction_end", reason, ...rest }
  return reason === "manual" ? [frame] : [frame, { type: "auto_compaction_end", action, ...rest }]
}
