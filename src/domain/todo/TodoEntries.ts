/** The todo list in the entries of a session (protocol.md 9.3, 12): results of `todo_write`, and lists that a host has set. */
import { isTodoPhases } from "../session/EntryShape.ts"
import type { NewEntry, SessionEntry } from "../session/SessionEntry.ts"
import { type TodoPhases, withoutDone } from "./Todo.ts"
import { updateType } from "./TodoTexts.ts"

export const toolName = "todo_write"

/** The list that a branch was left with. */
export interface TodosLeft {
  readonly phases: TodoPhases
  /** False if the model has not read it: a host has set it, or a compaction came after it. */
  readonly isTold: boolean
}

/** The list of a tool result; undefined if the message is none, or has no list. */
export const phasesOfResult = (message: {
  readonly role: string
  readonly toolName?: string
  readonly isError?: boolean
  readonly details?: unknown
}): TodoPhases | undefined => {
  if (message.role !== "toolResult" || message.toolName !== toolName || message.isError !== false) return undefined
  const { details } = message
  const phases = typeof details === "object" && details !== null && "phases" in details ? details.phases : undefined
  return isTodoPhases(phases) ? phases : undefined
}

/** The list that an entry puts in force; undefined if it has none. */
export const phasesOf = (entry: SessionEntry): TodoPhases | undefined => {
  if (entry.type === "todo_state") return entry.phases
  return entry.type === "message" ? phasesOfResult(entry.message) : undefined
}

export const isSource = (entry: SessionEntry): boolean => phasesOf(entry) !== undefined

/** What the log after a handoff begins with: the newest list of these entries. */
export const handedOff = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<NewEntry> => {
  const newest = entries.findLast(isSource)
  const phases = newest === undefined ? undefined : phasesOf(newest)
  return phases === undefined ? [] : [{ type: "todo_state", phases }]
}

/** Reads entries of a branch in their order; those before its last list may be missing. */
export const restore = (entries: ReadonlyArray<SessionEntry>): TodosLeft => {
  let phases: TodoPhases = []
  let isTold = true
  for (const entry of entries) {
    const found = phasesOf(entry)
    if (found !== undefined) {
      phases = found
      isTold = entry.type === "message"
    } else if (entry.type === "custom_message" && entry.customType === updateType) isTold = true
    else if (entry.type === "compaction" && withoutDone(phases).length > 0) isTold = false
  }
  return { phases, isTold }
}
