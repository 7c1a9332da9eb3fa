/** The summary of each session in a list. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { plainText } from "../../../domain/conversation/Content.ts"
import type { SessionSummary, StoredSession } from "../../../services/storage/SessionStore.ts"
import type { Found } from "../../machine/files/own/OwnFiles.ts"

const longestText = 200

export const summary = ({ entries, file, header }: StoredSession): SessionSummary => {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))
  const named = entries.findLast(({ type }) => type === "session_info")
  const name = named?.type === "session_info" ? named.name : header.title
  const newest = entries.at(-1)?.timestamp ?? ""
  const first = messages.find((message) => message.role === "user")
  return {
    sessionId: header.id,
    file,
    cwd: header.cwd,
    name: Option.fromNullable(name),
    createdAt: header.timestamp,
    // The header of a copied session is younger than its entries.
    updatedAt: newest > header.timestamp ? newest : header.timestamp,
    messageCount: messages.length,
    firstMessage: first?.role === "user" ? plainText(first.content).slice(0, longestText) : ""
  }
}

type FileState = Pick<Found, "path" | "modifiedAt" | "size">

/** Remembers summaries. A file with the same size and time has not changed, because files only grow or are replaced. */
export const makeMemory = () => {
  const known = new Map<string, FileState & { readonly summary: SessionSummary }>()
  return <E>({ modifiedAt, path, size }: FileState, read: Effect.Effect<SessionSummary, E>) =>
    Effect.suspend(() => {
      const before = known.get(path)
      if (before?.modifiedAt === modifiedAt && before.size === size) return Effect.succeed(before.summary)
      const remember = (summary: SessionSummary) => void known.set(path, { path, modifiedAt, size, summary })
      return Effect.tap(read, (summary) => Effect.sync(() => remember(summary)))
    })
}

export const newestFirst = (summaries: ReadonlyArray<SessionSummary>): ReadonlyArray<SessionSummary> =>
  summaries.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
