/** The failure responses of compactions and branch summaries (protocol.md 7.6). */
import type { CompactRejected } from "../../services/Agent.ts"
import { CommandFailure } from "../Command.ts"

/** The codes of commands that ask a model for a summary. */
export const compactionCodes = [
  "no_model",
  "missing_credentials",
  "already_compacted",
  "nothing_to_compact",
  "cancelled",
  "summarization_failed",
  "no_progress",
  "budget_exceeded",
  "no_price"
]

const codeOf = (error: CompactRejected): string => {
  if (error._tag === "CompactionFailed") return error.reason
  return error._tag === "AgentBusy" ? "busy" : "closing"
}

export const compactionFailure = (error: CompactRejected): CommandFailure => {
  const abortedRun = error._tag === "CompactionFailed" && error.abortedRun === true
  return new CommandFailure({
    code: codeOf(error),
    message: error.message,
    ...(abortedRun ? { data: { abortedRun } } : {})
  })
}
