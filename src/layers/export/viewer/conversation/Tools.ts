/** A tool call with its result: one line that says what was done, and the details inside. */
import { codeBlock } from "../text/Code.ts"
import * as Diff from "../text/Diff.ts"
import { diffView } from "../text/DiffView.ts"
import { type Child, h } from "../Dom.ts"
import type { Entry } from "./Entries.ts"
import { fold } from "./Fold.ts"
import * as Format from "../text/Format.ts"
import { languageOf } from "../text/Highlight.ts"
import { images } from "./Images.ts"
import { messageOf, plainText, wordsOf } from "./Items.ts"
import { type JsonRecord, record, records, show, text } from "../text/Json.ts"

interface Call {
  readonly name: string
  readonly args: JsonRecord
  readonly answer: JsonRecord | undefined
  readonly output: string
}

const tellingKeys = [
  "command",
  "pattern",
  "path",
  "file_path",
  "filePath",
  "query",
  "url",
  "task",
  "description",
  "name"
]

/** The argument that tells one call from another. */
const preview = ({ args }: Call): string => {
  const key = tellingKeys.find((name) => typeof args[name] === "string") ?? Object.keys(args)[0]
  const value = key === undefined ? undefined : args[key]
  const place = key === "pattern" && typeof args["path"] === "string" ? `  in ${args["path"]}` : ""
  return Format.excerpt(show(value ?? ""), 160) + place
}

const pathOf = (args: JsonRecord): string => text(args["path"]) || text(args["file_path"]) || text(args["filePath"])

const editsOf = (args: JsonRecord): ReadonlyArray<JsonRecord> => {
  const edits = records(args["edits"])
  return edits.length > 0 ? edits : [args]
}

const first = (from: JsonRecord, ...keys: ReadonlyArray<string>): string =>
  keys.map((key) => text(from[key])).find((value) => value !== "") ?? ""

/** The stored diff, or one made from the arguments. */
const diffOf = ({ answer, args, name }: Call): ReadonlyArray<Diff.DiffLine> => {
  const stored = text(record(answer?.["details"])["diff"])
  if (stored !== "") return Diff.parse(stored)
  if (name !== "edit" || answer?.["isError"] === true) return []
  return editsOf(args).flatMap((edit) => {
    const before = first(edit, "oldText", "old_text", "old_string")
    const after = first(edit, "newText", "new_text", "new_string")
    return before === "" && after === "" ? [] : Diff.replacement(before, after)
  })
}

const section = (label: string, ...children: ReadonlyArray<Child>) =>
  h("section", { class: "tool-part" }, h("h4", {}, label), ...children)

const outputOf = (call: Call, language?: string) =>
  call.output === ""
    ? section(
        "Output",
        h("p", { class: "empty" }, call.answer === undefined ? "No result was recorded." : "No output.")
      )
    : section("Output", codeBlock(call.output, { label: `Output of ${call.name}`, language }))

/** The head of the card already shows a single short argument. */
const isSaid = (call: Call) => Object.keys(call.args).length === 1 && preview(call) === Object.values(call.args)[0]

/** A tool that writes files reports success in one line at most. */
const remark = (call: Call) =>
  call.answer?.["isError"] !== true && call.output.length < 200 && !call.output.includes("\n")
    ? h("p", { class: "remark" }, call.output)
    : outputOf(call)

const asked = (call: Call) =>
  Object.keys(call.args).length === 0 || isSaid(call)
    ? undefined
    : section("Arguments", codeBlock(show(call.args), { label: "Arguments", language: "json" }))

const body = (call: Call, diff: ReadonlyArray<Diff.DiffLine>): ReadonlyArray<Child> => {
  const { answer, args, name } = call
  const language = languageOf(pathOf(args))
  const pictures = images(answer?.["content"])
  if (diff.length > 0) return [section(pathOf(args) || "Changes", diffView(diff, language)), remark(call), pictures]
  if (typeof args["command"] === "string") {
    const command = codeBlock(args["command"], { label: "Command", language: "bash" })
    return [section("Command", command), outputOf(call), pictures]
  }
  if (name === "write" && typeof args["content"] === "string") {
    const content = codeBlock(args["content"], { label: "Content", language })
    return [section(pathOf(args), content), remark(call), pictures]
  }
  return [asked(call), outputOf(call, name === "read" ? language : undefined), pictures]
}

const outcome = (call: Call, diff: ReadonlyArray<Diff.DiffLine>): ReadonlyArray<Child> => {
  const { answer, output } = call
  if (answer === undefined) return [h("span", { class: "badge" }, "no result")]
  if (answer["isError"] === true) return [h("span", { class: "badge bad" }, "failed")]
  if (diff.length > 0) {
    const { added, removed } = Diff.changes(diff)
    return [h("span", { class: "plus" }, `+${added}`), h("span", { class: "minus" }, `−${removed}`)]
  }
  return [output === "" ? undefined : h("span", {}, Format.lines(output))]
}

const card = (call: Call, words: () => string): HTMLElement => {
  const diff = diffOf(call)
  const state = call.answer === undefined ? "open" : call.answer["isError"] === true ? "bad" : "good"
  return fold({
    class: `tool ${state}`,
    summary: [
      h("span", { class: "tool-name" }, call.name || "tool"),
      h("span", { class: "tool-preview", dir: "auto" }, preview(call)),
      h("span", { class: "tool-outcome" }, ...outcome(call, diff))
    ],
    body: () => body(call, diff),
    words
  })
}

export const toolCall = (block: JsonRecord, result: Entry | undefined): HTMLElement => {
  const answer = result === undefined ? undefined : messageOf(result)
  const call = {
    name: text(block["name"]),
    args: record(block["arguments"]),
    answer,
    output: plainText(answer?.["content"])
  }
  return card(
    call,
    () => `${show(call.args)}\n${Object.values(call.args).map(show).join("\n")}\n${result ? wordsOf(result) : ""}`
  )
}

export const toolResult = (entry: Entry): HTMLElement => {
  const answer = messageOf(entry)
  const call = { name: text(answer["toolName"]), args: {}, answer, output: plainText(answer["content"]) }
  return card(call, () => wordsOf(entry))
}
