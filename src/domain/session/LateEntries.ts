/**
 * Results of the user's shell commands that ended during a run, and messages of extensions that came during it and want
 * no answer, in the session's file (protocol.md 3.6). They become messages after those of the run; until then an entry
 * beside the branch keeps them, so that a crash loses none. It is an entry about the queue, with an operation of its own,
 * and the entry of the message itself takes the record off.
 */
import * as Predicate from "effect/Predicate"
import type { BashExecutionMessage, CustomMessage } from "../conversation/Message.ts"
import { isAgentMessage } from "./EntryShape.ts"
import * as QueueEntries from "./QueueEntries.ts"
import { entryOf } from "./SessionContext.ts"
import type { NewEntry, SessionEntry } from "./SessionEntry.ts"

export interface LateRecord {
  readonly messageId: string
  readonly message: BashExecutionMessage | CustomMessage
}

const entry = (data: object): NewEntry => ({
  type: "custom",
  customType: QueueEntries.customType,
  data: { op: "record", items: [], ...data }
})

export const recorded = (records: ReadonlyArray<LateRecord>): NewEntry => entry({ records })

/** Takes records off that are in another session now. */
export const moved = (records: ReadonlyArray<LateRecord>): NewEntry =>
  entry({ moved: records.map(({ messageId }) => messageId) })

export const stored = ({ message, messageId }: LateRecord): NewEntry =>
  message.role === "custom" ? entryOf(message, { messageId }) : { type: "message", message, messageId }

const readRecord = (value: unknown): ReadonlyArray<LateRecord> => {
  const { message, messageId } = Predicate.isReadonlyRecord(value) ? value : {}
  if (typeof messageId !== "string" || !isAgentMessage(message)) return []
  return message.role === "bashExecution" || message.role === "custom" ? [{ messageId, message }] : []
}

/** The records that are not messages yet. `entries` are in the order of the file; records that are damaged are left out. */
export const restore = (entries: ReadonlyArray<SessionEntry>): ReadonlyArray<LateRecord> => {
  const waiting = new Map<unknown, LateRecord>()
  for (const entry of entries) {
    if (entry.type === "message" || entry.type === "custom_message") waiting.delete(entry.messageId)
    if (!QueueEntries.isQueueEntry(entry) || !Predicate.isReadonlyRecord(entry.data)) continue
    const { moved, records } = entry.data
    for (const record of Array.isArray(records) ? records.flatMap(readRecord) : [])
      waiting.set(record.messageId, record)
    for (const messageId of Array.isArray(moved) ? moved : []) waiting.delete(messageId)
  }
  return [...waiting.values()]
}
