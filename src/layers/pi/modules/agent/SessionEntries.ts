/** Reads the entries of a session as pi's functions do: the branch of a leaf, its messages, its model. */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { AgentMessage } from "../../../../domain/conversation/Message.ts"
import type { Holder } from "../HostBindings.ts"

type Entries = ReadonlyArray<JsonObject>

/** From the root to the leaf; the last entry is the leaf if none is given, and null means before all entries. */
export const branchOf = (entries: Entries, leafId?: string | null): Entries => {
  if (leafId === null) return []
  const byId = new Map(entries.map((entry) => [entry["id"], entry]))
  const branch: Array<JsonObject> = []
  let entry = leafId === undefined ? entries.at(-1) : byId.get(leafId)
  while (entry !== undefined && byId.delete(entry["id"])) {
    branch.push(entry)
    entry = byId.get(entry["parentId"])
  }
  return branch.reverse()
}

export const getLatestCompactionEntry = (entries: Entries): JsonObject | null =>
  entries.findLast(({ type }) => type === "compaction") ?? null

/** The compaction first, then the entries that it kept, then those after it. */
export const buildContextEntries = (entries: Entries, leafId?: string | null): Entries => {
  const branch = branchOf(entries, leafId)
  const at = branch.findLastIndex(({ type }) => type === "compaction")
  const compaction = branch[at]
  if (compaction === undefined) return branch
  const from = branch.findIndex(({ id }) => id === compaction["firstKeptEntryId"])
  return [compaction, ...(from < 0 ? [] : branch.slice(from, at)), ...branch.slice(at + 1)]
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null

/** The model of the last change or answer on the branch. */
const modelOf = (branch: Entries): { readonly provider: unknown; readonly modelId: unknown } | null => {
  const last = branch.findLast(
    ({ message, type }) => type === "model_change" || (isObject(message) && message["role"] === "assistant")
  )
  if (last === undefined) return null
  const { message } = last
  return isObject(message)
    ? { provider: message["provider"], modelId: message["model"] }
    : { provider: last["provider"], modelId: last["modelId"] }
}

export const getLastAssistantUsage = (entries: Entries): unknown => {
  const counts = ({ message }: JsonObject): boolean =>
    isObject(message) &&
    message["role"] === "assistant" &&
    message["stopReason"] !== "aborted" &&
    message["stopReason"] !== "error"
  const message = entries.findLast(counts)?.["message"]
  return isObject(message) ? message["usage"] : undefined
}

export const make = (holder: Holder) => {
  const conversation = () => holder.get().conversation
  const buildSessionContext = (entries: Entries, leafId?: string | null) => {
    const branch = branchOf(entries, leafId)
    const level = branch.findLast(({ type }) => type === "thinking_level_change")?.["thinkingLevel"]
    return { messages: conversation().messages(branch), thinkingLevel: level ?? "off", model: modelOf(branch) }
  }
  return {
    buildSessionContext,
    buildContextEntries,
    getLatestCompactionEntry,
    getLastAssistantUsage,
    parseSessionEntries: (text: string) => conversation().parse(text),
    sessionEntryToContextMessages: (entry: JsonObject) => conversation().messages([entry]),
    convertToLlm: (messages: ReadonlyArray<AgentMessage>) => conversation().toLlm(messages),
    serializeConversation: (messages: ReadonlyArray<AgentMessage>) => conversation().serialize(messages),
    estimateTokens: (message: AgentMessage) => conversation().estimateTokens(message)
  }
}
