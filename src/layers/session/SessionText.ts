/**
 * Session files as text (protocol.md 9.2 to 9.4): a header line, then a line for each entry. Reading is lenient: a line that
 * is not an entry is skipped, and what hung on it hangs on the entry before it instead.
 */
import * as Either from "effect/Either"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { readEntry } from "../../domain/session/EntryReading.ts"
import { isObject } from "../../domain/session/EntryShape.ts"
import * as Json from "../../domain/Json.ts"
import { type SessionEntry, type SessionHeader, sessionVersion, toJson } from "../../domain/session/SessionEntry.ts"
import * as SessionMigration from "../../domain/session/SessionMigration.ts"
import type { SessionGlance } from "../../services/session/SessionStore.ts"
import { glance } from "./SessionGlance.ts"

export interface SessionText {
  readonly _tag: "Session"
  readonly header: SessionHeader
  /** Read when they are first asked for; the bytes are kept until then. */
  readonly entries: ReadonlyArray<SessionEntry>
  /** While they are not read. */
  readonly glance?: SessionGlance | undefined
  /** Below today's where the file has to be written anew before anything is added. */
  readonly version: number
  /** False when the last line is not finished, torn or not. */
  readonly endsWithNewline: boolean
}

/** Nothing was ever acknowledged of a file whose first line is not complete. */
export type Decoded =
  | SessionText
  | { readonly _tag: "Empty" }
  | { readonly _tag: "NotASession" }
  | { readonly _tag: "Newer"; readonly version: number }

const newline = 10
const beginning = '{"type":"session"'

const isHeader = (value: unknown): value is SessionHeader =>
  isObject(value) &&
  value["type"] === "session" &&
  value["version"] === sessionVersion &&
  typeof value["id"] === "string" &&
  typeof value["timestamp"] === "string" &&
  typeof value["cwd"] === "string"

/** Other members of the header stay in it. */
const readHeader = (line: JsonObject): SessionHeader | undefined => {
  const { cwd = "", id, timestamp = "1970-01-01T00:00:00.000Z", type, version: _, ...rest } = line
  const header = { type, version: sessionVersion, id, timestamp, cwd, ...rest }
  return isHeader(header) ? header : undefined
}

const versionOf = ({ version }: JsonObject): number => (typeof version === "number" ? version : 1)

/** What a power cut may leave of a file that was just made. */
const isBarelyBegun = (text: string): boolean => {
  const begun = text.replaceAll("\0", "").trim()
  return begun.startsWith(beginning) || beginning.startsWith(begun)
}

/** Lines that are JSON objects, in order; `line` gets undefined for each that is not. */
const forEachLine = (bytes: Uint8Array, line: (value: JsonObject | undefined) => void) => {
  const decoder = new TextDecoder()
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(newline, from)
    const end = found < 0 ? bytes.length : found
    const text = decoder.decode(bytes.subarray(from, end))
    from = end + 1
    const value = Either.getOrUndefined(Json.parse(text))
    if (isObject(value)) line(value)
    else if (text.trim() !== "") line(undefined)
  }
}

/** An entry whose parent was in a line that could not be read continues what was there before that line. */
const reconnect = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<SessionEntry> => {
  const known = new Set<string>()
  let before: string | null = null
  return entries.map((entry) => {
    const isOrphan = entry.parentId !== null && !known.has(entry.parentId)
    const placed = isOrphan ? { ...entry, parentId: before } : entry
    known.add(entry.id)
    before = entry.id
    return placed
  })
}

const readOld = (bytes: Uint8Array, version: number) => {
  const lines: Array<JsonObject> = []
  let hasGaps = false
  forEachLine(bytes, (value) => {
    if (value === undefined) hasGaps = true
    else lines.push(value)
  })
  const numbered = version < 2 ? SessionMigration.fromVersion1(lines) : lines
  const entries = SessionMigration.fromVersion2(numbered).slice(1)
  return { entries: entries.flatMap((value) => readEntry(value) ?? []), hasGaps }
}

const readCurrent = (bytes: Uint8Array) => {
  const entries: Array<SessionEntry> = []
  let hasGaps = false
  let isFirst = true
  forEachLine(bytes, (value) => {
    const entry = isFirst ? undefined : readEntry(value)
    if (entry !== undefined) entries.push(entry)
    else if (!isFirst) hasGaps = true
    isFirst = false
  })
  return { entries, hasGaps }
}

/** Lets go of the bytes when it has read them. */
const readOnce = (bytes: Uint8Array, version: number) => {
  let unread: Uint8Array | undefined = bytes
  let seen = version < sessionVersion ? undefined : glance(bytes)
  let read: ReadonlyArray<SessionEntry> = []
  return {
    get glance() {
      return seen
    },
    get entries() {
      if (unread === undefined) return read
      const { entries, hasGaps } = version < sessionVersion ? readOld(unread, version) : readCurrent(unread)
      unread = seen = undefined
      read = hasGaps ? reconnect(entries) : entries
      return read
    }
  }
}

export const firstLine = (bytes: Uint8Array): unknown => {
  const found = bytes.indexOf(newline)
  const text = new TextDecoder().decode(found < 0 ? bytes : bytes.subarray(0, found))
  return Either.getOrUndefined(Json.parse(text))
}

/** Of a file in today's version. */
export const currentHeader = (bytes: Uint8Array): SessionHeader | undefined => {
  const first = firstLine(bytes)
  return isObject(first) && versionOf(first) === sessionVersion ? readHeader(first) : undefined
}

export const decode = (bytes: Uint8Array): Decoded => {
  const first = firstLine(bytes)
  const isWhole = isObject(first)
  if (!isWhole && !bytes.includes(newline) && isBarelyBegun(new TextDecoder().decode(bytes))) return { _tag: "Empty" }
  const header = isWhole ? readHeader(first) : undefined
  if (!isWhole || header === undefined) return { _tag: "NotASession" }
  const version = versionOf(first)
  if (version > sessionVersion) return { _tag: "Newer", version }
  const content = readOnce(bytes, version)
  return {
    _tag: "Session",
    header,
    version,
    endsWithNewline: bytes.at(-1) === newline,
    get glance() {
      return content.glance
    },
    get entries() {
      return content.entries
    }
  }
}

/** A file in which nothing was ever said: it is written anew with the first words. */
export const begun = (header: SessionHeader): SessionText => ({
  _tag: "Session",
  header,
  entries: [],
  version: 0,
  endsWithNewline: true
})

/** The folder a file's conversation belongs to, by its first bytes. */
export const cwdOf = (start: Uint8Array): string | undefined => {
  const first = firstLine(start)
  return isObject(first) && first["type"] === "session" && typeof first["cwd"] === "string" ? first["cwd"] : undefined
}

export const encodeHeader = (header: SessionHeader): string => `${JSON.stringify(header)}\n`

export const encode = (entries: ReadonlyArray<SessionEntry>): string => {
  let text = ""
  for (const entry of entries) text += `${JSON.stringify(toJson(entry))}\n`
  return text
}
