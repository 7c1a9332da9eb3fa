/** Applies a dialect to what the encoder writes. The default dialect adds no step. */
import { plainText } from "../../domain/conversation/Content.ts"
import type { RunMessage } from "../../domain/conversation/Message.ts"
import type { Preferences, Terms } from "../connection/Preferences.ts"
import * as CompactionFrames from "../protocol/events/CompactionFrames.ts"
import { type FrameContext, type ToFrames, toFrames } from "../protocol/events/EventFrames.ts"
import * as Frame from "../protocol/Frame.ts"
import { levelMembers } from "./Dialect.ts"
import * as Echoes from "./Echoes.ts"
import * as TurnDiffs from "./TurnDiffs.ts"

/**
 * A run as hosts see it that count every attempt as a run (protocol.md 4.11): `agent_end` before each wait for a retry
 * and before each reminder of todos, `agent_start` after it. A wait that is cancelled is followed by no attempt, and so by no further `agent_end`.
 */
const perAttempt = (next: ToFrames): ToFrames => {
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

const oneCompaction =
  (next: ToFrames): ToFrames =>
  (event) =>
    event._tag === "CompactionStarted" || event._tag === "CompactionEnded"
      ? CompactionFrames.toEvents(event)
      : next(event)

const textOfFailures =
  (next: ToFrames): ToFrames =>
  (event) => {
    if (event._tag !== "ToolEnded" || !event.isError) return next(event)
    return next(event).map((frame) => ({ ...frame, result: plainText(event.result.content) }))
  }

const knownLevels =
  ({ dialect }: Pick<Terms, "dialect">, next: ToFrames): ToFrames =>
  (event) => {
    if (event._tag !== "ThinkingLevelChanged") return next(event)
    const members = levelMembers(dialect, event.level)
    return next(event).map((frame) => ({ ...frame, level: members.thinkingLevel, ...members }))
  }

/** Such a name is no command of ours. */
const hasNoHandler = ({ code }: Frame.Response) => code === "unknown_command" || code === "unsupported"

const isFailure = ({ command, success }: Frame.Response, isParse: boolean) =>
  !success && (command === "parse") === isParse

/** Either the response, or the record that stands for it. */
export const answer = (
  { dialect }: Pick<Terms, "dialect">,
  response: Frame.Response
): { readonly response: Frame.Response } | { readonly record: object } => {
  if (dialect.errorEvent && isFailure(response, true)) return { record: { type: "error", error: response.error } }
  const isForgotten =
    dialect.answersFailuresOf?.includes(response.command) === false &&
    isFailure(response, false) &&
    !hasNoHandler(response)
  return { response: isForgotten ? Frame.asParseFailure(response) : response }
}

/** What frames say beside their events, as it is when they are written. */
type Context = () => FrameContext & Pick<Preferences, "turnDiffs">

/** The frames of one session in a dialect, made in the order of its events. */
export const make = (terms: Pick<Terms, "agentEnd" | "dialect" | "echoes">, context: Context): ToFrames => {
  const { agentEnd, dialect, echoes } = terms
  let frames = TurnDiffs.add(context, (event) => toFrames(event, context()))
  if (dialect.compactionEvent) frames = oneCompaction(frames)
  if (dialect.failureText) frames = textOfFailures(frames)
  if (echoes !== undefined) frames = Echoes.add(echoes, frames)
  if (dialect.highestLevel !== undefined) frames = knownLevels(terms, frames)
  return agentEnd === "per-attempt" ? perAttempt(frames) : frames
}
