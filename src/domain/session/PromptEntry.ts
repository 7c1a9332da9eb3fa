/**
 * The part of the system prompt that comes from files and from the machine, kept in the session. A session that is resumed
 * goes on under the same prompt, so that providers find it in their caches, whatever has changed on the disk.
 */
import * as Predicate from "effect/Predicate"
import type { NewEntry, SessionEntry } from "./SessionEntry.ts"

export const customType = "heddle.prompt"

export interface KeptPrompt {
  /** Another working folder has other files. */
  readonly cwd: string
  readonly text: string
  readonly replace?: string
  readonly append?: string
}

/** More than the reading of files ever gives. */
const longest = 4 * 1024 * 1024

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= longest

const read = (data: unknown): KeptPrompt | undefined => {
  if (!Predicate.isReadonlyRecord(data)) return undefined
  const { append, cwd, replace, text } = data
  if (!isText(cwd) || !isText(text)) return undefined
  return { cwd, text, ...(isText(replace) ? { replace } : {}), ...(isText(append) ? { append } : {}) }
}

export const entryOf = (kept: KeptPrompt): NewEntry => ({ type: "custom", customType, data: kept })

/** The prompt that the session began with in this folder. */
export const find = (entries: ReadonlyArray<SessionEntry>, cwd: string): KeptPrompt | undefined => {
  for (const entry of entries) {
    if (entry.type !== "custom" || entry.customType !== customType) continue
    const kept = read(entry.data)
    if (kept?.cwd === cwd) return kept
  }
  return undefined
}
