/**
 * Takes a glance at a session: finds what a process needs to start in the bytes of the file, without an object for every
 * line. The objects of a long conversation take several times the memory of its text. Undefined if LineHeads does not
 * understand the file; then it is read as a whole.
 */
import * as Option from "effect/Option"
import type { SessionEntry } from "../../domain/session/SessionEntry.ts"
import { type SessionSettings, settingsOf } from "../../domain/session/SessionSettings.ts"
import * as TodoEntries from "../../domain/todo/TodoEntries.ts"
import type { SessionGlance } from "../../services/session/SessionStore.ts"
import * as LineHeads from "./LineHeads.ts"

interface Seen extends LineHeads.Lines {
  readonly id: (line: number) => string
  readonly entry: (line: number) => SessionEntry | undefined
  /** The numbers of the active branch, from the leaf to the root. */
  readonly branch: ReadonlyArray<number>
}

/** Parents come before their children, so one pass backwards finds the branch. It ends before a last line about the queue. */
const climb = (heads: LineHeads.LineHeads, lines: LineHeads.Lines): ReadonlyArray<number> | undefined => {
  const { isList, queue, starts } = lines
  const branch: Array<number> = []
  const newest = starts.length - 2
  const leaf = queue.at(-1) === newest ? newest - 1 : newest
  let [wantedAt, wantedEnd] = [0, 0]
  for (let line = newest; line >= 0; line--) {
    if (!isList) {
      heads.read(starts[line] ?? 0)
      if (line < newest && !heads.hasId(wantedAt, wantedEnd)) continue
    }
    if (line <= leaf) branch.push(line)
    if (isList) continue
    if (heads.head.parentAt === 0) return branch
    ;[wantedAt, wantedEnd] = [heads.head.parentAt, heads.head.parentEnd]
  }
  return isList ? branch : undefined
}

const look = (bytes: Uint8Array): Seen | undefined => {
  const heads = LineHeads.make(bytes)
  const lines = heads.lines()
  const branch = lines === undefined ? undefined : climb(heads, lines)
  if (lines === undefined || branch === undefined) return undefined
  const startOf = (line: number) => lines.starts[line] ?? 0
  return {
    ...lines,
    branch,
    id: (line) => {
      heads.read(startOf(line))
      return heads.id()
    },
    entry: (line) => heads.entry(startOf(line), startOf(line + 1) - 1)
  }
}

const said: ReadonlyArray<string | undefined> = ["message", "custom_message", "branch_summary"]

/** Counts like SessionContext.conversation, without reading the messages. */
const countMessages = ({ branch, entry, id, types }: Seen): number => {
  let [count, keptFrom] = [0, ""]
  for (const line of branch) {
    const isSummary = types[line] === "compaction" && keptFrom === ""
    const compaction = isSummary ? entry(line) : undefined
    if (compaction?.type === "compaction") {
      count += 1
      keptFrom = compaction.firstKeptEntryId
      if (!branch.some((other) => other < line && id(other) === keptFrom)) return count
    } else if (said.includes(types[line])) count += 1
    if (keptFrom !== "" && id(line) === keptFrom) return count
  }
  return count
}

/** A longer tail reads the whole file once, instead of the same part of it for every question. */
const longestTail = 64

const tail = ({ branch, entry }: Seen, fits: (entry: SessionEntry) => boolean) => {
  const entries: Array<SessionEntry> = []
  for (const line of branch.slice(0, longestTail)) {
    const read = entry(line)
    if (read === undefined) return undefined
    entries.push(read)
    if (fits(read)) return entries.reverse()
  }
  return branch.length <= longestTail ? entries.reverse() : undefined
}

const settingsIn = ({ branch, entry, roles, types }: Seen): SessionSettings => {
  let left: SessionSettings = {}
  for (const line of branch) {
    const saysModel = left.model === undefined && (roles[line] === "assistant" || types[line] === "model_change")
    const saysLevel = left.thinkingLevel === undefined && types[line] === "thinking_level_change"
    const read = saysModel || saysLevel ? entry(line) : undefined
    if (read !== undefined) left = { ...settingsOf([read]), ...left }
  }
  return left
}

const nameIn = ({ entry, types }: Seen): Option.Option<string> => {
  const line = types.lastIndexOf("session_info")
  const read = line < 0 ? undefined : entry(line)
  return read?.type === "session_info" ? Option.some(read.name) : Option.none()
}

/** Only messages of the user, of late commands and of extensions can take something off the queue. */
const queueIn = ({ entry, queue, roles, types }: Seen): ReadonlyArray<SessionEntry> => {
  const found: Array<SessionEntry> = []
  const about = new Set(queue)
  for (let line = queue[0] ?? roles.length; line < roles.length; line++) {
    const takesOff = roles[line] === "user" || roles[line] === "bashExecution" || types[line] === "custom_message"
    const read = about.has(line) || takesOff ? entry(line) : undefined
    if (read !== undefined) found.push(read)
  }
  return found
}

const todosIn = ({ branch, entry, todos, types }: Seen): TodoEntries.TodosLeft => {
  const found: Array<SessionEntry> = []
  const about = new Set(todos)
  for (const line of about.size === 0 ? [] : branch) {
    const read = about.has(line) || types[line] === "compaction" ? entry(line) : undefined
    if (read !== undefined) found.push(read)
    if (read !== undefined && TodoEntries.isSource(read)) break
  }
  return TodoEntries.restore(found.reverse())
}

export const glance = (bytes: Uint8Array): SessionGlance | undefined => {
  const seen = look(bytes)
  if (seen === undefined) return undefined
  return {
    messageCount: countMessages(seen),
    name: nameIn(seen),
    settings: settingsIn(seen),
    get queue() {
      return queueIn(seen)
    },
    get todos() {
      return todosIn(seen)
    },
    tail: (fits) => tail(seen, fits)
  }
}
