/**
 * Finds the facts for a list of sessions in the bytes of a file. It scans all lines to count messages and find the name,
 * and parses three of them. Undefined if LineHeads does not understand the file; then it is read as a whole.
 */
import type { SessionHeader } from "../../domain/session/SessionEntry.ts"
import * as LineHeads from "./LineHeads.ts"
import type { SessionFacts } from "./SessionSummaries.ts"

export const scan = (bytes: Uint8Array, header: SessionHeader): SessionFacts | undefined => {
  const heads = LineHeads.make(bytes)
  const lines = heads.lines()
  if (lines === undefined) return undefined
  const { roles, starts, types } = lines
  const entryOf = (line: number) => (line < 0 ? undefined : heads.entry(starts[line] ?? 0, (starts[line + 1] ?? 0) - 1))
  const [firstLine, nameLine] = [roles.indexOf("user"), types.lastIndexOf("session_info")]
  const [first, named, newest] = [entryOf(firstLine), entryOf(nameLine), entryOf(types.length - 1)]
  const isUnderstood =
    (firstLine < 0 || first?.type === "message") &&
    (nameLine < 0 || named?.type === "session_info") &&
    (types.length === 0 || newest !== undefined)
  if (!isUnderstood) return undefined
  return {
    header,
    messageCount: types.reduce((count, type) => (type === "message" ? count + 1 : count), 0),
    name: named?.type === "session_info" ? named.name : undefined,
    newest: newest?.timestamp ?? "",
    first: first?.type === "message" ? first.message : undefined
  }
}
