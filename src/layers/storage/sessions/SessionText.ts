/**
 * The text of session files (protocol.md 9.2 to 9.4): a header line, then a line for each entry. Reading is lenient: it
 * skips a line that is not an entry, and gives the children of that line to the entry before it.
 */
import * as Predicate from "effect/Predicate"
import * as Json from "../../../domain/Json.ts"
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import { parseLine, readEntry } from "../../../domain/session/EntryReading.ts"
import { type SessionEntry, type SessionHeader, sessionVersion, toJson } from "../../../domain/session/SessionEntry.ts"
import * as SessionMigration from "../../../domain/session/SessionMigration.ts"
import * as Text from "../../../domain/Text.ts"

export interface SessionText {
  readonly _tag: "Session"
  readonly header: SessionHeader
  readonly entries: ReadonlyArray<SessionEntry>
  /** Below the current version if the file has to be rewritten before an append. */
  readonly version: number
  /** False if the last line lacks its newline. */
  readonly endsWithNewline: boolean
}

/** A file with an incomplete first line is `Empty`: no entry of it was ever acknowledged. */
export type Decoded =
  | SessionText
  | { readonly _tag: "Empty" }
  | { readonly _tag: "NotASession"; readonly detail?: string }
  | { readonly _tag: "Newer"; readonly version: number }

const newline = 10
const beginning = '{"type":"session"'

const isHeader = (value: unknown): value is SessionHeader =>
  Predicate.isReadonlyRecord(value) &&
  value["type"] === "session" &&
  value["version"] === sessionVersion &&
  typeof value["id"] === "string" &&
  typeof value["timestamp"] === "string" &&
  typeof value["cwd"] === "string"

/** Unknown members of the header are kept. */
const readHeader = (line: JsonObject): SessionHeader | undefined => {
  const { cwd = "", id, timestamp = "1970-01-01T00:00:00.000Z", type, version: _, ...rest } = line
  const header = { type, version: sessionVersion, id, timestamp, cwd, ...rest }
  return isHeader(header) ? header : undefined
}

/** Files of version 1 do not say it. Undefined for what no program writes. */
const versionOf = ({ version = 1 }: JsonObject): number | undefined =>
  typeof version === "number" && Number.isSafeInteger(version) && version > 0 ? version : undefined

const absurd = ({ version }: JsonObject): string => {
  const shown = typeof version === "object" && version !== null ? "an object" : Json.stringify(version)
  return `the version in its header is ${Text.clip(shown, 40)}`
}

/** Whether the text may be the rest of a new file after a power cut. */
const isBarelyBegun = (text: string): boolean => {
  const begun = text.replaceAll("\0", "").trim()
  return begun.startsWith(beginning) || beginning.startsWith(begun)
}

/** Calls `line` for each line, with undefined if the line is not a JSON object. */
const forEachLine = (bytes: Uint8Array, line: (value: JsonObject | undefined) => void) => {
  const decoder = new TextDecoder()
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(newline, from)
    const end = found < 0 ? bytes.length : found
    const text = decoder.decode(bytes.subarray(from, end))
    from = end + 1
    const value = parseLine(text)
    if (Predicate.isReadonlyRecord(value)) line(value)
    else if (text.trim() !== "") line(undefined)
  }
}

/** Gives an entry whose parent could not be read the entry before it as parent. */
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

const readEntries = (bytes: Uint8Array, version: number): ReadonlyArray<SessionEntry> => {
  const { entries, hasGaps } = version < sessionVersion ? readOld(bytes, version) : readCurrent(bytes)
  return hasGaps ? reconnect(entries) : entries
}

const firstLine = (bytes: Uint8Array): unknown => {
  const found = bytes.indexOf(newline)
  const text = new TextDecoder().decode(found < 0 ? bytes : bytes.subarray(0, found))
  return parseLine(text)
}

export const decode = (bytes: Uint8Array): Decoded => {
  const first = firstLine(bytes)
  const isWhole = Predicate.isReadonlyRecord(first)
  if (!isWhole && !bytes.includes(newline) && isBarelyBegun(new TextDecoder().decode(bytes))) return { _tag: "Empty" }
  const header = isWhole ? readHeader(first) : undefined
  if (!isWhole || header === undefined) return { _tag: "NotASession" }
  const version = versionOf(first)
  if (version === undefined) return { _tag: "NotASession", detail: absurd(first) }
  if (version > sessionVersion) return { _tag: "Newer", version }
  return {
    _tag: "Session",
    header,
    entries: readEntries(bytes, version),
    version,
    endsWithNewline: bytes.at(-1) === newline
  }
}

/** A session without messages. Its file is rewritten with the first message. */
export const begun = (header: SessionHeader): SessionText => ({
  _tag: "Session",
  header,
  entries: [],
  version: 0,
  endsWithNewline: true
})

/** The working folder of a session, from the first bytes of its file. */
export const cwdOf = (start: Uint8Array): string | undefined => {
  const first = firstLine(start)
  return Predicate.isReadonlyRecord(first) && first["type"] === "session" && typeof first["cwd"] === "string"
    ? first["cwd"]
    : undefined
}

export const encodeHeader = (header: SessionHeader): string => `${Json.stringify(header)}\n`

export const encode = (entries: ReadonlyArray<SessionEntry>): string => {
  let text = ""
  for (const entry of entries) text += `${Json.stringify(toJson(entry))}\n`
  return text
}
