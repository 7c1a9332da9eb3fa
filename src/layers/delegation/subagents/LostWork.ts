/**
 * Counts what subagents had spent when their process ended before their call had a result. Their transcripts have it, those
 * of their own subagents included.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import * as SessionContext from "../../../domain/session/SessionContext.ts"
import type { SessionEntry } from "../../../domain/session/SessionEntry.ts"
import * as SessionFile from "../../../domain/session/SessionFile.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as SessionText from "../../storage/sessions/SessionText.ts"
import * as Spending from "./Spending.ts"

interface Transcript {
  readonly startedAt: number
  readonly entries: ReadonlyArray<SessionEntry>
}

const timeOf = ({ timestamp }: { readonly timestamp: string }) => Date.parse(timestamp)

/** The subagents whose spending is in results of this session. */
const reported = (entries: ReadonlyArray<SessionEntry>): ReadonlySet<unknown> => {
  const ids = new Set<unknown>()
  for (const entry of entries) {
    const details = entry.type === "message" && entry.message.role === "toolResult" ? entry.message.details : undefined
    const results = details?.["results"]
    if (!Array.isArray(results)) continue
    for (const result of results) if (Predicate.isReadonlyRecord(result)) ids.add(result["id"])
  }
  return ids
}

/** Transcripts that were written to since the call, by the id of their subagent. */
const readSince = Effect.fnUntraced(function* (folder: string, since: number) {
  const files = yield* OwnFiles
  const found = yield* Effect.orElseSucceed(files.list(folder), () => [])
  const transcripts = new Map<string, Transcript>()
  for (const { isFile, modifiedAt, name, path } of found) {
    // The time of a file may be coarser than that of an entry.
    if (!isFile || !name.endsWith(SessionFile.suffix) || modifiedAt < since - 2000) continue
    const text = yield* Effect.option(Effect.map(files.read(path), SessionText.decode))
    if (text._tag === "None" || text.value._tag !== "Session") continue
    const { entries, header } = text.value
    transcripts.set(name.slice(0, -SessionFile.suffix.length), { startedAt: timeOf(header), entries })
  }
  return transcripts
})

/** The id of the subagent that has started this one; ids may have dots of their own. */
const parentOf = (id: string, transcripts: ReadonlyMap<string, Transcript>): string | undefined => {
  for (let dot = id.lastIndexOf("."); dot > 0; dot = id.lastIndexOf(".", dot - 1)) {
    const above = id.slice(0, dot)
    if (transcripts.has(above) && /^\d+-/.test(id.slice(dot + 1))) return above
  }
  return undefined
}

/** The subagents of a session that its results do not report, with everything below them. */
const lostBelow = (
  above: string | undefined,
  counted: ReadonlySet<unknown>,
  transcripts: ReadonlyMap<string, Transcript>
): ReadonlyArray<Transcript> =>
  [...transcripts].flatMap(([id, transcript]) =>
    parentOf(id, transcripts) !== above || counted.has(id)
      ? []
      : [transcript, ...lostBelow(id, reported(transcript.entries), transcripts)]
  )

/**
 * The details of the result of a `task` call that was cut off; undefined if it had no subagents. `turn` begins with the
 * message that asked for the call.
 */
export const detailsOf = Effect.fnUntraced(function* (sessionFile: string, turn: ReadonlyArray<SessionEntry>) {
  const since = turn[0] === undefined ? 0 : timeOf(turn[0])
  const transcripts = yield* readSince(SessionFile.artifacts(sessionFile), since)
  for (const [id, { startedAt }] of transcripts) if (startedAt < since) transcripts.delete(id)
  const lost = lostBelow(undefined, reported(turn), transcripts)
  if (lost.length === 0) return undefined
  const { usage, work } = lost.map(({ entries }) => Spending.of(entries)).reduce(Spending.add)
  const ends = lost.flatMap(({ entries }) => entries.slice(-1).map(timeOf))
  const wallTimeMs = Math.max(0, Math.max(...ends) - Math.max(...turn.map(timeOf)))
  // As those of the session itself: they have no result yet, and were probably started.
  const cutOff = lost.reduce((sum, { entries }) => sum + SessionContext.unansweredCalls(entries).length, 0)
  const spent = { ...work, toolCalls: work.toolCalls + cutOff, subagents: work.subagents + lost.length, wallTimeMs }
  const details: JsonObject = {
    projectAgentsDir: null,
    results: [],
    totalDurationMs: 0,
    usage,
    spent
  }
  return details
})
