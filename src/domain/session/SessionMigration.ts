/**
 * Migrates the JSON objects of older files (protocol.md 9.4). Version 1 is a list without ids, and its compactions name
 * the first kept entry by line. Version 2 differs from 3 by a role that EntryReading.ts reads anyway.
 */
import type { JsonObject } from "../conversation/Content.ts"

/** Stable, so that every reading of a file gives the same ids. */
const idAt = (line: number): string => line.toString(16).padStart(8, "0")

/** `lines` are the objects of the file, the header first. */
export const fromVersion1 = (lines: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  lines.map((entry, line) => {
    if (line === 0) return entry
    const { firstKeptEntryIndex: kept, ...rest } = entry
    const inherited = { timestamp: lines[0]?.["timestamp"], ...rest }
    const target = typeof kept === "number" && kept > 0 && kept < lines.length ? { firstKeptEntryId: idAt(kept) } : {}
    return { ...inherited, ...target, id: idAt(line), parentId: line === 1 ? null : idAt(line - 1) }
  })

/** Renames the role `hookMessage`, so that rewritten files do not contain it. */
export const fromVersion2 = (lines: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  lines.map((entry) => {
    const { message } = entry
    const isOld = typeof message === "object" && message !== null && "role" in message && message.role === "hookMessage"
    return isOld ? { ...entry, message: { ...message, role: "custom" } } : entry
  })
