/**
 * The tree of a session as rows. Only a fork indents further, so that long conversations stay readable. A tool call has one
 * row, that of its result, which names the tool and its argument. Pure.
 */
import * as Calls from "../conversation/Calls.ts"
import type { Entry, Tree } from "../conversation/Entries.ts"
import * as Format from "../text/Format.ts"
import { blocksOf, isUnseen, type Kind, kindOf, messageOf, plainText } from "../conversation/Items.ts"
import { type JsonRecord, record, records, text } from "../text/Json.ts"

export interface Row {
  readonly entry: Entry
  readonly kind: Kind
  readonly depth: number
  readonly isFork: boolean
  readonly title: string
  /** Empty if all went well. */
  readonly trouble: string
}

const titles: Partial<Record<Kind, string>> = { summary: "Summary", other: "Entry", custom: "Note", result: "Result" }
const longestTitle = 90

const callsOf = (entry: Entry): ReadonlyArray<JsonRecord> =>
  blocksOf(messageOf(entry)["content"]).filter((block) => block["type"] === "toolCall")

const named = (block: JsonRecord): string => {
  const call = Calls.make(block, undefined)
  return Format.excerpt(`${call.name || "tool"} ${Calls.preview(call)}`, longestTitle)
}

export const titleOf = (entry: Entry): string => {
  const message = messageOf(entry)
  const kind = kindOf(entry)
  const words =
    plainText(message["content"]) ||
    text(message["command"]) ||
    text(message["summary"]) ||
    text(message["errorMessage"])
  if (words.trim() !== "") return `${kind === "summary" ? "Summary: " : ""}${Format.gist(words, longestTitle)}`
  if (kind === "assistant") return callsOf(entry).map(named).join(", ") || "Empty answer"
  if (kind === "user") return "Image"
  if (entry.type === "model_change") return `Model: ${text(message["modelId"]) || text(message["model"])}`
  if (entry.type === "thinking_level_change") return `Thinking: ${text(message["thinkingLevel"])}`
  if (entry.type === "session_info") return `Name: ${text(message["name"])}`
  return titles[kind] ?? entry.type
}

const troubleWith = (entry: Entry): string => {
  const message = messageOf(entry)
  const code = message["exitCode"]
  if (message["isError"] === true || message["stopReason"] === "error") return "failed"
  if (kindOf(entry) === "bash" && typeof code === "number" && code !== 0) return "failed"
  const tasks = message["toolName"] === "task" ? records(record(message["details"])["results"]) : []
  const lost = tasks.filter((task) => task["exitCode"] !== 0 || task["aborted"] === true).length
  return lost === 0 ? "" : `${Format.whole(lost)} failed`
}

/** Which calls there are and which have a result, of all branches. */
const callsIn = (entries: ReadonlyArray<Entry>) => {
  const answered = new Set(
    entries.filter((entry) => kindOf(entry) === "result").map((entry) => text(messageOf(entry)["toolCallId"]))
  )
  const blocks = new Map<string, JsonRecord>()
  return {
    see: (entry: Entry) => {
      for (const block of callsOf(entry)) blocks.set(text(block["id"]), block)
    },
    /** The call of a result, if it came before. */
    of: (result: Entry) => blocks.get(text(messageOf(result)["toolCallId"])),
    waiting: (entry: Entry) => callsOf(entry).filter((block) => !answered.has(text(block["id"])))
  }
}

type Known = ReturnType<typeof callsIn>

/** The rows of its results stand for an answer that says nothing itself. */
const isSaidByResults = (entry: Entry, calls: Known) =>
  callsOf(entry).length > 0 &&
  calls.waiting(entry).length === 0 &&
  troubleWith(entry) === "" &&
  plainText(messageOf(entry)["content"]).trim() === ""

const described = (entry: Entry, kind: Kind, calls: Known) => {
  const call = kind === "result" ? calls.of(entry) : undefined
  const title = call === undefined ? titleOf(entry) : named(call)
  const isOpen = kind === "assistant" && calls.waiting(entry).length > 0
  return { title, trouble: troubleWith(entry) || (isOpen ? "no result" : "") }
}

/** Depth first, without recursion, because the tree is as deep as the conversation is long. */
export const rows = (tree: Tree): ReadonlyArray<Row> => {
  const found: Array<Row> = []
  const calls = callsIn(tree.entries)
  const roots = tree.childrenOf(null)
  const stack: Array<{ readonly entry: Entry; readonly depth: number; readonly isFork: boolean }> = []
  const push = (children: ReadonlyArray<Entry>, depth: number) => {
    const isFork = children.length > 1
    for (const entry of children.toReversed()) stack.push({ entry, depth: isFork ? depth + 1 : depth, isFork })
  }
  push(roots, 0)
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { depth, entry, isFork } = at
    const kind = kindOf(entry)
    if (kind === "assistant") calls.see(entry)
    if (!isUnseen(entry) && (isFork || kind !== "assistant" || !isSaidByResults(entry, calls)))
      found.push({ entry, kind, depth, isFork, ...described(entry, kind, calls) })
    push(tree.childrenOf(entry.id), depth)
  }
  return found
}
