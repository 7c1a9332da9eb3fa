/** Applies a dialect to what the encoder writes. The default dialect adds no step. */
import { plainText } from "../../domain/conversation/Content.ts"
import type { Connection } from "../Connection.ts"
import * as CompactionFrames from "../protocol/CompactionFrames.ts"
import { type ToFrames, toFrames } from "../protocol/EventFrames.ts"
import * as Frame from "../protocol/Frame.ts"
import { perAttempt } from "./Attempts.ts"
import { levelMembers } from "./Dialect.ts"
import * as Echoes from "./Echoes.ts"
import * as TurnDiffs from "./TurnDiffs.ts"

export interface DialectFrames {
  readonly toFrames: ToFrames
  /** Either the response, or the record that stands for it. */
  readonly answer: (response: Frame.Response) => { readonly response: Frame.Response } | { readonly record: object }
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
  ({ dialect }: Connection, next: ToFrames): ToFrames =>
  (event) => {
    if (event._tag !== "ThinkingLevelChanged") return next(event)
    const members = levelMembers(dialect, event.level)
    return next(event).map((frame) => ({ ...frame, level: members.thinkingLevel, ...members }))
  }

/** Such a name is no command of ours. */
const hasNoHandler = ({ code }: Frame.Response) => code === "unknown_command" || code === "unsupported"

const isFailure = ({ command, success }: Frame.Response, isParse: boolean) =>
  !success && (command === "parse") === isParse

export const make = (connection: Connection): DialectFrames => {
  const { agentEnd, dialect } = connection
  const isForgotten = (response: Frame.Response) =>
    dialect.answersFailuresOf?.includes(response.command) === false &&
    isFailure(response, false) &&
    !hasNoHandler(response)
  let frames = TurnDiffs.add(connection, (event) => toFrames(event, connection))
  if (dialect.compactionEvent) frames = oneCompaction(frames)
  if (dialect.failureText) frames = textOfFailures(frames)
  if (connection.echoes !== undefined) frames = Echoes.add(connection.echoes, frames)
  if (dialect.highestLevel !== undefined) frames = knownLevels(connection, frames)
  if (agentEnd === "per-attempt") frames = perAttempt(frames)
  return {
    toFrames: frames,
    answer: (response) => {
      if (dialect.errorEvent && isFailure(response, true)) return { record: { type: "error", error: response.error } }
      return { response: isForgotten(response) ? Frame.asParseFailure(response) : response }
    }
  }
}
