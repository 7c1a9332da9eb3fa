/**
 * Reads the start of each line of a session file from its bytes: type, id, parent and role of the entry. Understands
 * only lines whose members stand in the order in which heddle, pi, xcsh and omp write them.
 */
import { parseLine, readEntry } from "../../domain/session/EntryReading.ts"
import type { SessionEntry } from "../../domain/session/SessionEntry.ts"
import * as ByteSearch from "../platform/files/ByteSearch.ts"

const [newline, quote, brace] = [10, 34, 125]
const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const marks = {
  type: bytesOf('{"type":"'),
  id: bytesOf('","id":"'),
  parent: bytesOf('","parentId":'),
  noParent: bytesOf("null"),
  timestamp: bytesOf(',"timestamp":"'),
  role: bytesOf('","message":{"role":"'),
  queue: bytesOf('","customType":"heddle.queue"')
}

const words = (...all: ReadonlyArray<string>) => all.map((text) => ({ text, bytes: bytesOf(`${text}"`) }))

/** Entries of other types may change earlier ones, so a file with such an entry has to be read as a whole. */
const types = words(
  "message",
  "custom_message",
  "branch_summary",
  "compaction",
  "model_change",
  "thinking_level_change",
  "custom",
  "label",
  "session_info",
  "ttsr_injection",
  "usage"
)
const roles = words("assistant", "user", "toolResult", "bashExecution", "custom")

export interface Head {
  type: string
  /** Empty if the entry is not a message. */
  role: string
  /** The entry is about the queue. */
  isQueue: boolean
  idAt: number
  idEnd: number
  /** Zero for a root. */
  parentAt: number
  parentEnd: number
}

export interface Lines {
  /** The position of each line, and of the end of the file. */
  readonly starts: ReadonlyArray<number>
  readonly types: ReadonlyArray<string>
  readonly roles: ReadonlyArray<string>
  /** The numbers of the lines about the queue. */
  readonly queue: ReadonlyArray<number>
  readonly isList: boolean
}

/** `read` fills the same `head` for every line, so that it allocates nothing. */
export const make = (bytes: Uint8Array) => {
  const decoder = new TextDecoder()
  const { has, isSame, next } = ByteSearch.make(bytes)
  const head: Head = { type: "", role: "", isQueue: false, idAt: 0, idEnd: 0, parentAt: 0, parentEnd: 0 }

  const wordAt = (vocabulary: typeof types, at: number): string => {
    for (const word of vocabulary) if (has(word.bytes, at)) return word.text
    return ""
  }

  const readPlace = (at: number): number => {
    if (!has(marks.id, at)) return 0
    head.idAt = at + marks.id.length
    head.idEnd = bytes.indexOf(quote, head.idAt)
    if (!has(marks.parent, head.idEnd)) return 0
    const parent = head.idEnd + marks.parent.length
    const isRoot = has(marks.noParent, parent)
    if (!isRoot && bytes[parent] !== quote) return 0
    head.parentAt = isRoot ? 0 : parent + 1
    head.parentEnd = isRoot ? 0 : bytes.indexOf(quote, parent + 1)
    return isRoot ? parent + marks.noParent.length : head.parentEnd + 1
  }

  /** False if the line does not have the known form. */
  const read = (start: number): boolean => {
    const typeAt = start + marks.type.length
    head.type = has(marks.type, start) ? wordAt(types, typeAt) : ""
    const behind = head.type === "" ? 0 : readPlace(typeAt + head.type.length)
    if (behind === 0 || !has(marks.timestamp, behind)) return false
    const timeEnd = bytes.indexOf(quote, behind + marks.timestamp.length)
    head.role = has(marks.role, timeEnd) ? wordAt(roles, timeEnd + marks.role.length) : ""
    head.isQueue = head.type === "custom" && has(marks.queue, timeEnd)
    return (head.role !== "") === (head.type === "message")
  }

  /** All lines after the header; undefined unless all of them have the known form. */
  const lines = (): Lines | undefined => {
    const [starts, types, roles]: [Array<number>, Array<string>, Array<string>] = [[], [], []]
    const queue: Array<number> = []
    let [isList, idAt, idEnd] = [true, 0, 0]
    if (bytes.at(-1) !== newline || bytes.includes(0)) return undefined
    for (let start = bytes.indexOf(newline) + 1; start < bytes.length;) {
      const end = bytes.indexOf(newline, start)
      if (bytes[end - 1] !== brace || !read(start) || head.idEnd > end) return undefined
      // A line with two parents is two torn lines in one.
      const again = next(marks.parent, head.idEnd + marks.parent.length)
      if (again >= 0 && again < end) return undefined
      isList &&= isSame(head.parentAt, head.parentEnd, idAt, idEnd)
      ;[idAt, idEnd] = [head.idAt, head.idEnd]
      if (head.isQueue) queue.push(starts.length)
      starts.push(start)
      types.push(head.type)
      roles.push(head.role)
      start = end + 1
    }
    starts.push(bytes.length)
    return { starts, types, roles, queue, isList }
  }

  return {
    head,
    read,
    lines,
    hasId: (from: number, end: number) => isSame(from, end, head.idAt, head.idEnd),
    id: () => decoder.decode(bytes.subarray(head.idAt, head.idEnd)),
    entry: (start: number, end: number): SessionEntry | undefined =>
      readEntry(parseLine(decoder.decode(bytes.subarray(start, end))))
  }
}

export type LineHeads = ReturnType<typeof make>
