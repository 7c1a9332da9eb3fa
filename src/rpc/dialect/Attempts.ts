/**
 * A run as hosts see it that count every attempt as a run (protocol.md 4.11): `agent_end` before each wait for a retry
 * and before each reminder of todos, `agent_start` after it. A wait that is cancelled is followed by no attempt, and so by no further `agent_end`.
 */
import type { RunMessage } from "../../domain/conversation/Message.ts"
import type { ToFrames } from "../protocol/EventFrames.ts"

export const perAttempt = (next: ToFrames): ToFrames => {
  /** The messages of the attempt at hand. */
  let messages: Array<RunMessage> = []
  let waits = false
  return (event) => {
    switch (event._tag) {
      case "RunStarted":
        messages = []
        waits = false
        return next(event)
      case "MessageEnded":
        if (event.runId !== undefined) messages.push(event.message)
        return next(event)
      case "RetryScheduled":
      case "TodoReminder": {
        const { runId } = event
        const ended = next({ _tag: "RunEnded", runId, messages })
        messages = []
        waits = true
        const again = { willRetry: event._tag === "RetryScheduled", isTerminal: false, yielded: false }
        return [...ended.map((frame) => ({ ...frame, ...again })), ...next(event)]
      }
      case "TurnStarted": {
        const begun = waits ? next({ _tag: "RunStarted", runId: event.runId }) : []
        waits = false
        return [...begun, ...next(event)]
      }
      case "RunEnded":
        return waits ? [] : next({ ...event, messages })
      default:
        return next(event)
    }
  }
}
