/** The content of an item, by kind. */
import { codeBlock } from "../text/Code.ts"
import { type Child, h } from "../Dom.ts"
import { fold } from "./Fold.ts"
import * as Format from "../text/Format.ts"
import { images } from "./Images.ts"
import { blocksOf, type Item, messageOf, plainText, wordsOf } from "./Items.ts"
import { type JsonRecord, number, show, text } from "../text/Json.ts"
import { prose } from "../text/Markdown.ts"
import { toolCall, toolResult } from "./Tools.ts"
import { turns } from "../overview/Totals.ts"

const callout = (kind: "bad" | "quiet", title: string, detail: string) =>
  h("div", { class: `callout ${kind}` }, h("strong", {}, title), detail === "" ? undefined : h("span", {}, detail))

const thinking = (block: JsonRecord) => {
  const said = text(block["thinking"])
  if (said === "")
    return block["redacted"] === true ? callout("quiet", "Thinking, kept hidden by the provider", "") : undefined
  return fold({
    class: "thinking",
    summary: [
      h("span", { class: "fold-title" }, "Thinking"),
      h("span", { class: "fold-hint" }, Format.gist(said, 110))
    ],
    body: () => [prose(said)],
    words: () => said
  })
}

const assistantBlock = (block: JsonRecord, item: Item): Child => {
  switch (block["type"]) {
    case "text":
      return text(block["text"]).trim() === "" ? undefined : prose(text(block["text"]))
    case "thinking":
      return thinking(block)
    case "toolCall":
      return toolCall(block, item.results.get(text(block["id"])))
    case "image":
      return images([block])
    default:
      return other(block, `Block of type ${text(block["type"]) || "unknown"}`)
  }
}

const ending = (message: JsonRecord): Child => {
  const detail = text(message["errorMessage"])
  if (message["stopReason"] === "error") return callout("bad", "The model call failed", detail)
  if (message["stopReason"] === "aborted") return callout("quiet", "Aborted", detail)
  return message["stopReason"] === "length" ? callout("quiet", "Cut off at the length limit", detail) : undefined
}

const assistant = (item: Item): ReadonlyArray<Child> => {
  const message = messageOf(item.entry)
  const blocks = blocksOf(message["content"]).map((block) => assistantBlock(block, item))
  const end = ending(message)
  const isEmpty = end === undefined && blocks.every((block) => block === undefined)
  return [blocks, isEmpty ? h("p", { class: "empty" }, "Empty answer") : end]
}

const said = (content: unknown): ReadonlyArray<Child> => {
  const words = plainText(content)
  return [words === "" ? undefined : prose(words), images(content)]
}

const bash = (message: JsonRecord): ReadonlyArray<Child> => {
  const output = text(message["output"])
  const code = message["exitCode"]
  const status =
    message["cancelled"] === true ? "cancelled" : typeof code === "number" && code !== 0 ? `exit code ${code}` : ""
  return [
    codeBlock(text(message["command"]), { label: "Command", language: "bash" }),
    output.trim() === ""
      ? h("p", { class: "empty" }, "No output.")
      : fold({
          class: "output",
          open: output.length < 4000,
          summary: [
            h("span", { class: "fold-title" }, "Output"),
            h("span", { class: "fold-hint" }, Format.lines(output))
          ],
          body: () => [codeBlock(output, { label: "Output" })],
          words: () => output
        }),
    status === "" ? undefined : callout(status === "cancelled" ? "quiet" : "bad", status, "")
  ]
}

const summary = (item: Item): ReadonlyArray<Child> => {
  const message = messageOf(item.entry)
  const isCompaction = item.entry.type === "compaction" || message["role"] === "compactionSummary"
  const before = number(message["tokensBefore"])
  const hint = isCompaction && before > 0 ? `${Format.compact(before)} tokens before` : text(message["shortSummary"])
  return [
    fold({
      class: "summary",
      summary: [
        h("span", { class: "fold-title" }, isCompaction ? "Summary of earlier messages" : "Summary of another branch"),
        h("span", { class: "fold-hint" }, Format.excerpt(hint, 90))
      ],
      body: () => [prose(text(message["summary"]))],
      words: () => text(message["summary"])
    })
  ]
}

const note = ({ entry }: Item): ReadonlyArray<Child> => {
  const { raw } = entry
  if (entry.type === "session_info") return [`Session named “${text(raw["name"])}”`]
  if (entry.type === "thinking_level_change") return [`Thinking: ${text(raw["thinkingLevel"]) || "unknown"}`]
  const model = text(raw["model"]) || [text(raw["provider"]), text(raw["modelId"])].filter(Boolean).join("/")
  return [`Model: ${model || "unknown"}`]
}

const other = (value: JsonRecord, title: string) =>
  fold({
    class: "other",
    summary: [h("span", { class: "fold-title" }, title)],
    body: () => [codeBlock(show(value), { label: title, language: "json" })],
    words: () => `${title}\n${show(value)}`
  })

const custom = (item: Item): ReadonlyArray<Child> => {
  const message = messageOf(item.entry)
  if (message["display"] !== false && message["role"] !== "developer") return said(message["content"])
  return [
    fold({
      class: "other",
      summary: [
        h("span", { class: "fold-title" }, text(message["customType"]) || "Hidden message"),
        h("span", { class: "fold-hint" }, "not shown to the person, part of the conversation")
      ],
      body: () => [...said(message["content"])],
      words: () => wordsOf(item.entry)
    })
  ]
}

export const inside = (item: Item): ReadonlyArray<Child> => {
  const message = messageOf(item.entry)
  switch (item.kind) {
    case "user":
      return said(message["content"])
    case "assistant":
      return assistant(item)
    case "result":
      return [toolResult(item.entry)]
    case "bash":
      return bash(message)
    case "custom":
      return custom(item)
    case "summary":
      return summary(item)
    case "note":
      return note(item)
    case "other":
      return [other(item.entry.raw, `Entry of type ${item.entry.type || "unknown"}`)]
  }
}

export const speaker = (item: Item): string => {
  const message = messageOf(item.entry)
  switch (item.kind) {
    case "user":
      return "You"
    case "assistant":
      return text(message["model"]) || "Assistant"
    case "bash":
      return "You ran"
    case "custom":
      return text(message["customType"]) || "Note"
    case "result":
      return "Tool"
    default:
      return ""
  }
}

export const price = (item: Item): string => {
  const [turn] = item.kind === "assistant" ? turns([item.entry]) : []
  if (turn === undefined || turn.total === 0) return ""
  const cost = turn.cost > 0 ? ` · ${Format.money(turn.cost)}` : ""
  return `${Format.compact(turn.total - turn.tokens.output)} in · ${Format.compact(turn.tokens.output)} out${cost}`
}
