/** Reads a part of a transcript for a host that follows it (supplement 1.3, `get_subagent_messages`). */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { parseLine } from "../../../domain/session/EntryReading.ts"
import type { TranscriptPart } from "../../../domain/subagents/Subagent.ts"
import { type TranscriptRequest, UnknownSubagent } from "../../../services/delegation/Subagents.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"

const newline = 10

const fileOf = ({ sessionFile, subagentId }: TranscriptRequest, known: ReadonlyMap<string, string>) => {
  if (subagentId !== undefined) return known.get(subagentId)
  return [...known.values()].find((file) => file === sessionFile)
}

const unknown = ({ subagentId }: TranscriptRequest) =>
  new UnknownSubagent({
    message:
      subagentId === undefined
        ? "Unknown subagent session file"
        : `Unknown subagent or session file unavailable: ${subagentId}`
  })

/** Whole lines only: the rest of a line that is being written comes with the next request. */
export const read = Effect.fnUntraced(function* (request: TranscriptRequest, known: ReadonlyMap<string, string>) {
  const sessionFile = fileOf(request, known)
  if (sessionFile === undefined) return yield* unknown(request)
  const files = yield* OwnFiles
  const bytes = yield* Effect.mapError(files.read(sessionFile), () => unknown(request))
  const asked = Math.max(0, Math.trunc(request.fromByte ?? 0))
  const reset = asked > bytes.length
  const fromByte = reset ? 0 : asked
  const nextByte = Math.max(fromByte, bytes.lastIndexOf(newline) + 1)
  const lines = new TextDecoder().decode(bytes.subarray(fromByte, nextByte)).split("\n")
  const entries = lines.flatMap((line) => {
    const entry = line === "" ? undefined : parseLine(line)
    return Predicate.isReadonlyRecord(entry) && entry["type"] !== "session" ? [entry] : []
  })
  const messages = entries.flatMap((entry) => (entry["type"] === "message" ? [entry["message"]] : []))
  const part: TranscriptPart = { sessionFile, fromByte, nextByte, reset, entries, messages }
  return part
})
