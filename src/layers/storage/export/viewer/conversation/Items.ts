/** The items of a branch: one for each entry that is shown. Tool results are part of the item of their call. */
import * as Approvals from "./Approvals.ts"
import type { Entry } from "./Entries.ts"
import { type JsonRecord, record, records, text } from "../text/Json.ts"

export type Kind = "user" | "assistant" | "result" | "bash" | "custom" | "summary" | "note" | "other"

export interface Item {
  readonly id: string
  readonly kind: Kind
  readonly entry: Entry
  readonly results: Map<string, Entry>
  /** What was decided about its calls, by their ids. */
  readonly approvals: Map<string, ReadonlyArray<Entry>>
}

const roles: Readonly<Record<string, Kind>> = {
  user: "user",
  assistant: "assistant",
  toolResult: "result",
  bashExecution: "bash",
  custom: "custom",
  hookMessage: "custom",
  developer: "custom",
  branchSummary: "summary",
  compactionSummary: "summary"
}

const types: Readonly<Record<string, Kind | undefined>> = {
  compaction: "summary",
  branch_summary: "summary",
  custom_message: "custom",
  model_change: "note",
  thinking_level_change: "note",
  session_info: "note"
}

/** Shown elsewhere: a label at its entry, usage in the totals, the prompt above the conversation. */
const unseen = new Set(["label", "usage"])
export const isUnseen = ({ raw, type }: Entry) =>
  unseen.has(type) || (type === "custom" && raw["customType"] === "heddle.prompt")

export const messageOf = (entry: Entry): JsonRecord =>
  entry.type === "message" ? record(entry.raw["message"]) : entry.raw

export const kindOf = (entry: Entry): Kind =>
  entry.type === "message"
    ? (roles[text(messageOf(entry)["role"])] ?? "other")
    : Approvals.isApproval(entry)
      ? "note"
      : (types[entry.type] ?? "other")

export const blocksOf = (content: unknown): ReadonlyArray<JsonRecord> =>
  typeof content === "string" ? [{ type: "text", text: content }] : records(content)

export const plainText = (content: unknown): string =>
  blocksOf(content)
    .map((block) => text(block["text"]))
    .filter((part) => part !== "")
    .join("\n\n")

export interface Branch {
  readonly items: ReadonlyArray<Item>
  readonly itemOf: ReadonlyMap<string, Item>
  readonly labels: ReadonlyMap<string, string>
}

/** The ids of the calls of an answer. */
export const callsOf = (entry: Entry): ReadonlyArray<string> =>
  blocksOf(messageOf(entry)["content"])
    .filter((block) => block["type"] === "toolCall")
    .map((block) => text(block["id"]))

export const make = (path: ReadonlyArray<Entry>): Branch => {
  const items: Array<Item> = []
  const itemOf = new Map<string, Item>()
  const calls = new Map<string, Item>()
  const labels = new Map<string, string>()
  for (const entry of path) {
    if (entry.type === "label") {
      const target = text(entry.raw["targetId"])
      const label = text(entry.raw["label"])
      if (label === "") labels.delete(target)
      else labels.set(target, label)
    }
    if (isUnseen(entry)) continue
    const decidedFor = Approvals.isApproval(entry) ? Approvals.callOf(entry) : ""
    const asker = calls.get(decidedFor)
    if (asker !== undefined) {
      asker.approvals.set(decidedFor, [...(asker.approvals.get(decidedFor) ?? []), entry])
      itemOf.set(entry.id, asker)
      continue
    }
    const kind = kindOf(entry)
    const callId = text(messageOf(entry)["toolCallId"])
    const home = kind === "result" ? calls.get(callId) : undefined
    if (home !== undefined && !home.results.has(callId)) {
      home.results.set(callId, entry)
      itemOf.set(entry.id, home)
      continue
    }
    const item: Item = { id: entry.id, kind, entry, results: new Map(), approvals: new Map() }
    items.push(item)
    itemOf.set(entry.id, item)
    if (kind === "assistant") for (const call of callsOf(entry)) calls.set(call, item)
  }
  return { items, itemOf, labels }
}
