/** Events that are worth a line for people, in words. Pure. */
import { type AgentEvent, type EventOf, failureText } from "../../../../domain/conversation/AgentEvent.ts"
import { tooSmall } from "../../../../services/session/modules/Compaction.ts"

export interface Notice {
  readonly level: "info" | "warning" | "error"
  readonly text: string
}

const info = (text: string): Notice => ({ level: "info", text })
const warning = (text: string): Notice => ({ level: "warning", text })
const error = (text: string): Notice => ({ level: "error", text })

const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`

/** A sentence that another one follows. */
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

const tokens = (count: number | undefined) => (count === undefined ? "fewer" : `about ${Math.round(count)}`)

const uncompacted = (reason: string): Notice =>
  Object.values<string>(tooSmall).includes(reason) ? info(reason) : error(`Compaction failed: ${reason}`)

const compacted = (event: EventOf<"CompactionEnded">): Notice | undefined => {
  if (event.skipped === true) return undefined
  if (event.aborted) return warning("Compaction was cancelled; the conversation is as it was.")
  if (event.result === undefined) return uncompacted(event.errorMessage ?? "no reason was given")
  const { estimatedTokensAfter, tokensBefore } = event.result
  return info(`Compacted the conversation: ${Math.round(tokensBefore)} tokens became ${tokens(estimatedTokensAfter)}.`)
}

/** Undefined for events that need no line of their own. */
export const of = (event: AgentEvent): Notice | undefined => {
  switch (event._tag) {
    case "RetryScheduled":
      return warning(
        `${sentence(event.errorMessage)} Trying again in ${seconds(event.delayMs)} (${event.attempt} of ${event.maxAttempts}).`
      )
    case "FallbackApplied":
      return warning(`${event.from} failed; ${event.to} takes over.`)
    case "RulesTriggered":
      return warning(
        `The answer broke a rule (${event.rules.map(({ name }) => name).join(", ")}) and is written again.`
      )
    case "CompactionStarted":
      return info("Compacting the conversation…")
    case "CompactionEnded":
      return compacted(event)
    case "SummaryRetryScheduled":
      return warning(`The summary failed: ${sentence(event.errorMessage)} Trying again in ${seconds(event.delayMs)}.`)
    case "TodoReminder":
      return info(`The model was reminded of ${event.todos.length} open tasks.`)
    case "SubagentStarted":
      return info(`Subagent ${event.subagent.id} (${event.subagent.agent}) started.`)
    case "SubagentEnded":
      return info(`Subagent ${event.subagent.id} ${event.exitCode === 0 ? "finished" : "failed"}.`)
    case "BudgetWarning":
      return warning("The budget of this session is nearly spent. /cost shows what it has cost.")
    case "BudgetSpent":
      return error("The budget of this session is spent. Start heddle with a higher limit to go on.")
    case "PersistFailed":
      return event.movedTo === undefined
        ? error(`This session is not stored any more: ${event.error}`)
        : warning(`${event.error}. It is stored in ${event.movedTo} now.`)
    case "ExtensionFailed":
      return warning(`Extension ${event.extensionPath} failed (${event.event}): ${failureText(event)}`)
    case "Notice":
      return { level: event.level, text: event.message }
    case "ModelChanged":
      return info(`Model: ${event.model.provider}/${event.model.id}`)
    default:
      return undefined
  }
}
