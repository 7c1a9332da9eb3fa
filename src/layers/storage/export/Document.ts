/** The part of a session that an exported page embeds (protocol.md 9.8). Pure. */
import { plainText } from "../../../domain/conversation/Content.ts"
import * as Text from "../../../domain/Text.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import { type SessionEntry, type SessionHeader, toJson } from "../../../domain/session/SessionEntry.ts"

export interface Document {
  readonly header: SessionHeader
  readonly entries: ReadonlyArray<SessionEntry>
  readonly leafId: string | null
  readonly systemPrompt?: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

const longestTitle = 120

const firstPrompt = (entries: ReadonlyArray<SessionEntry>): string | undefined => {
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "user") continue
    const words = plainText(entry.message.content).replaceAll(/\s+/g, " ").trim()
    if (words !== "") return words
  }
  return undefined
}

const nameOf = (entries: ReadonlyArray<SessionEntry>): string | undefined => {
  const named = entries.findLast((entry) => entry.type === "session_info")
  return named?.type === "session_info" && named.name !== "" ? named.name : undefined
}

/** The name of the session, else its first prompt. */
export const titleOf = ({ entries, header }: Document): string => {
  const title = nameOf(entries) ?? header.title ?? firstPrompt(entries) ?? "Empty session"
  return title.length <= longestTitle ? title : `${Text.first(title, longestTitle - 1).trimEnd()}…`
}

/** `mask` sees every text. */
export const encode = ({ entries, ...rest }: Document, mask = (text: string) => text): string =>
  JSON.stringify({ ...rest, entries: QueueEntries.without(entries).map(toJson) }, (_, value: unknown) =>
    typeof value === "string" ? mask(value) : value
  )
