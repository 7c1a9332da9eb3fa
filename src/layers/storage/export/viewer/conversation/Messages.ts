/** The parts of an item, by kind. */
import { codePart } from "../text/Code.ts"
import { h } from "../Dom.ts"
import * as Format from "../text/Format.ts"
import { images } from "./Images.ts"
import { blocksOf, type Item, messageOf, plainText } from "./Items.ts"
import { type JsonRecord, number, show, text } from "../text/Json.ts"
import { prosePart } from "../text/Markdown.ts"
import * as Parts from "../Parts.ts"
import * as Approvals from "./Approvals.ts"
import { toolCall, toolResult } from "./Tools.ts"
import { sum, turns } from "../overview/Totals.ts"

const callout = (kind: "bad" | "quiet", title: string, detail = "") =>
  Parts.group(
    () => (detail === "" ? [] : [Parts.text(detail)]),
    (inner) => h("div", { class: `callout ${kind}` }, h("strong", {}, title), ...inner)
  )

const title = (words: string) => Parts.decoration(() => h("span", { class: "fold-title" }, words))
const empty = (words: string) => Parts.decoration(() => h("p", { class: "empty" }, words))

const thinking = (block: JsonRecord): ReadonlyArray<Parts.Part> => {
  const thoughts = text(block["thinking"])
  if (thoughts === "")
    return block["redacted"] === true ? [callout("quiet", "Thinking, kept hidden by the provider")] : []
  return [
    Parts.fold({
      class: "thinking",
      head: [title("Thinking"), Parts.hint(Format.gist(thoughts, 110))],
      body: () => [prosePart(thoughts)]
    })
  ]
}

const assistantBlock = (block: JsonRecord, item: Item): ReadonlyArray<Parts.Part> => {
  switch (block["type"]) {
    case "text":
      return text(block["text"]).trim() === "" ? [] : [prosePart(text(block["text"]))]
    case "thinking":
      return thinking(block)
    case "toolCall":
      return [toolCall(block, item.results.get(text(block["id"])), item.approvals.get(text(block["id"])))]
    case "image":
      return images([block])
    default:
      return [other(block, `Block of type ${text(block["type"]) || "unknown"}`)]
  }
}

const ending = (message: JsonRecord): ReadonlyArray<Parts.Part> => {
  const detail = text(message["errorMessage"])
  if (message["stopReason"] === "error") return [callout("bad", "The model call failed", detail)]
  if (message["stopReason"] === "aborted") return [callout("quiet", "Aborted", detail)]
  return message["stopReason"] === "length" ? [callout("quiet", "Cut off at the length limit", detail)] : []
}

const assistant = (item: Item): ReadonlyArray<Parts.Part> => {
  const message = messageOf(item.entry)
  const parts = [...blocksOf(message["content"]).flatMap((block) => assistantBlock(block, item)), ...ending(message)]
  return parts.length === 0 ? [empty("Empty answer")] : parts
}

const partsOfContent = (content: unknown): ReadonlyArray<Parts.Part> => {
  const words = plainText(content)
  return [...(words === "" ? [] : [prosePart(words)]), ...images(content)]
}

const bash = (message: JsonRecord): ReadonlyArray<Parts.Part> => {
  const output = text(message["output"])
  const code = message["exitCode"]
  const status =
    message["cancelled"] === true ? "cancelled" : typeof code === "number" && code !== 0 ? `exit code ${code}` : ""
  return [
    codePart(text(message["command"]), { label: "Command", language: "bash" }),
    output.trim() === ""
      ? empty("No output.")
      : Parts.fold({
          class: "output",
          open: output.length < 4000,
          head: [title("Output"), Parts.hint(Format.lines(output))],
          body: () => [codePart(output, { label: "Output" })]
        }),
    ...(status === "" ? [] : [callout(status === "cancelled" ? "quiet" : "bad", status)])
  ]
}

const summary = (item: Item): ReadonlyArray<Parts.Part> => {
  const message = messageOf(item.entry)
  const isCompaction = item.entry.type === "compaction" || message["role"] === "compactionSummary"
  const before = number(message["tokensBefore"])
  const about = isCompaction && before > 0 ? `${Format.compact(before)} tokens before` : text(message["shortSummary"])
  return [
    Parts.fold({
      class: "summary",
      head: [
        title(isCompaction ? "Summary of earlier messages" : "Summary of another branch"),
        Parts.hint(Format.excerpt(about, 90))
      ],
      body: () => [prosePart(text(message["summary"]))]
    })
  ]
}

const note = ({ entry }: Item): ReadonlyArray<Parts.Part> => {
  const { raw } = entry
  if (Approvals.isApproval(entry)) return [Parts.text(Approvals.words(entry))]
  if (entry.type === "session_info") return [Parts.text(`Session named “${text(raw["name"])}”`)]
  if (entry.type === "thinking_level_change")
    return [Parts.text(`Thinking: ${text(raw["thinkingLevel"]) || "unknown"}`)]
  const model = text(raw["model"]) || [text(raw["provider"]), text(raw["modelId"])].filter(Boolean).join("/")
  return [Parts.text(`Model: ${model || "unknown"}`)]
}

const other = (value: JsonRecord, name: string) =>
  Parts.fold({
    class: "other",
    head: [Parts.text(name, "fold-title")],
    body: () => [codePart(show(value), { label: name, language: "json" })]
  })

const custom = (item: Item): ReadonlyArray<Parts.Part> => {
  const message = messageOf(item.entry)
  if (message["display"] !== false && message["role"] !== "developer") return partsOfContent(message["content"])
  return [
    Parts.fold({
      class: "other",
      head: [
        Parts.text(text(message["customType"]) || "Hidden message", "fold-title"),
        Parts.hint("not shown to the person, part of the conversation")
      ],
      body: () => partsOfContent(message["content"])
    })
  ]
}

const inside = (item: Item): ReadonlyArray<Parts.Part> => {
  const message = messageOf(item.entry)
  switch (item.kind) {
    case "user":
      return partsOfContent(message["content"])
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

const known = new WeakMap<Item, ReadonlyArray<Parts.Part>>()

/** The same parts at every call, so that a search finds the elements of an item that is drawn. */
export const partsOf = (item: Item): ReadonlyArray<Parts.Part> => {
  const made = known.get(item) ?? inside(item)
  known.set(item, made)
  return made
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

/** Tokens and cost of an answer, which may have taken several calls of the model. */
export const price = (items: ReadonlyArray<Item>): string => {
  const spent = sum(turns(items.flatMap(({ entry, kind }) => (kind === "assistant" ? [entry] : []))))
  if (spent.total === 0) return ""
  const cost = spent.cost > 0 ? ` · ${Format.money(spent.cost)}` : ""
  return `${Format.compact(spent.total - spent.tokens.output)} in · ${Format.compact(spent.tokens.output)} out${cost}`
}
