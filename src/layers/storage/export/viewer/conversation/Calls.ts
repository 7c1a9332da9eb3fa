/** Reads a tool call: the argument that tells it from others, its changes, and how it ended. Pure. */
import * as Diff from "../text/Diff.ts"
import type { Entry } from "./Entries.ts"
import * as Format from "../text/Format.ts"
import { messageOf, plainText } from "./Items.ts"
import { type JsonRecord, record, records, show, text } from "../text/Json.ts"

export interface Call {
  readonly name: string
  readonly args: JsonRecord
  /** Undefined if no result was recorded. */
  readonly answer: JsonRecord | undefined
  readonly output: string
}

export const make = (block: JsonRecord, result: Entry | undefined): Call => {
  const answer = result === undefined ? undefined : messageOf(result)
  return {
    name: text(block["name"]),
    args: record(block["arguments"]),
    answer,
    output: plainText(answer?.["content"])
  }
}

/** A result whose call is not part of the session. */
export const ofResult = (entry: Entry): Call => make({ name: messageOf(entry)["toolName"] }, entry)

export const failed = ({ answer }: Call): boolean => answer?.["isError"] === true

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

const tasksSaid = (args: JsonRecord): string => {
  const ids = records(args["tasks"])
    .map(({ id }) => text(id))
    .join(", ")
  return [text(args["agent"]), ids].filter((part) => part !== "").join(": ")
}

/** The argument that tells one call from another. */
export const preview = ({ args, name }: Pick<Call, "args" | "name">): string => {
  if (name === "task" && records(args["tasks"]).length > 0) return Format.excerpt(tasksSaid(args), 160)
  const key = tellingKeys.find((each) => typeof args[each] === "string") ?? Object.keys(args)[0]
  const value = key === undefined ? undefined : args[key]
  const location = key === "pattern" && typeof args["path"] === "string" ? `  in ${args["path"]}` : ""
  return Format.excerpt(show(value ?? ""), 160) + location
}

export const pathOf = (args: JsonRecord): string =>
  text(args["path"]) || text(args["file_path"]) || text(args["filePath"])

const editsOf = (args: JsonRecord): ReadonlyArray<JsonRecord> => {
  const edits = records(args["edits"])
  return edits.length > 0 ? edits : [args]
}

const first = (from: JsonRecord, ...keys: ReadonlyArray<string>): string =>
  keys.map((key) => text(from[key])).find((value) => value !== "") ?? ""

/** The stored diff, or one made from the arguments. */
export const diffOf = (call: Call): ReadonlyArray<Diff.DiffLine> => {
  const { answer, args, name } = call
  const stored = text(record(answer?.["details"])["diff"])
  if (stored !== "") return Diff.parse(stored)
  if (name !== "edit" || failed(call)) return []
  return editsOf(args).flatMap((edit) => {
    const before = first(edit, "oldText", "old_text", "old_string")
    const after = first(edit, "newText", "new_text", "new_string")
    return before === "" && after === "" ? [] : Diff.replacement(before, after)
  })
}
