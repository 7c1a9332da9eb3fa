/** The tree of a session as rows. Only a fork indents further, so that long conversations stay readable. Pure. */
import type { Entry, Tree } from "../conversation/Entries.ts"
import * as Format from "../text/Format.ts"
import { blocksOf, isUnseen, type Kind, kindOf, messageOf, plainText } from "../conversation/Items.ts"
import { text } from "../text/Json.ts"

export interface Row {
  readonly entry: Entry
  readonly kind: Kind
  readonly depth: number
  readonly isFork: boolean
}

const titles: Partial<Record<Kind, string>> = { summary: "Summary", other: "Entry", custom: "Note", result: "Result" }

const toolNames = (entry: Entry): string =>
  blocksOf(messageOf(entry)["content"])
    .filter((block) => block["type"] === "toolCall")
    .map((block) => text(block["name"]))
    .join(", ")

export const titleOf = (entry: Entry): string => {
  const message = messageOf(entry)
  const kind = kindOf(entry)
  const words =
    plainText(message["content"]) ||
    text(message["command"]) ||
    text(message["summary"]) ||
    text(message["errorMessage"])
  if (words.trim() !== "") return `${kind === "summary" ? "Summary: " : ""}${Format.gist(words, 90)}`
  if (kind === "assistant") return toolNames(entry) || "Empty answer"
  if (kind === "user") return "Image"
  if (entry.type === "model_change") return `Model: ${text(message["modelId"]) || text(message["model"])}`
  if (entry.type === "thinking_level_change") return `Thinking: ${text(message["thinkingLevel"])}`
  if (entry.type === "session_info") return `Name: ${text(message["name"])}`
  return titles[kind] ?? entry.type
}

/** Depth first, without recursion, because the tree is as deep as the conversation is long. */
export const rows = (tree: Tree): ReadonlyArray<Row> => {
  const found: Array<Row> = []
  const roots = tree.childrenOf(null)
  const stack: Array<{ readonly entry: Entry; readonly depth: number; readonly isFork: boolean }> = []
  const push = (children: ReadonlyArray<Entry>, depth: number) => {
    const isFork = children.length > 1
    for (const entry of children.toReversed()) stack.push({ entry, depth: isFork ? depth + 1 : depth, isFork })
  }
  push(roots, 0)
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { depth, entry, isFork } = at
    if (!isUnseen(entry)) found.push({ entry, kind: kindOf(entry), depth, isFork })
    push(tree.childrenOf(entry.id), depth)
  }
  return found
}
