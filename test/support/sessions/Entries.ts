/** Entries of sessions, written down shortly. */
import { text } from "../../../src/domain/conversation/Content.ts"
import type {
  AgentMessage,
  AssistantMessage,
  StopReason,
  ToolResultMessage
} from "../../../src/domain/conversation/Message.ts"
import type { NewEntry, OwnEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"

export const time = "1970-01-01T00:00:00.000Z"

/** A dollar for a million tokens of any class. */
const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
export const usage = (tokens: Partial<Usage.Tokens>) => Usage.make({ ...Usage.zeroTokens, ...tokens }, prices)

export const user = (said: string): AgentMessage => ({ role: "user", content: [text(said)], timestamp: 0 })

export const assistant = (said: string, input: number, stopReason: StopReason = "stop"): AssistantMessage => ({
  role: "assistant",
  content: [text(said)],
  api: "a",
  provider: "p",
  model: "m",
  usage: usage({ input }),
  stopReason,
  timestamp: 0
})

export const toolResult = (details?: ToolResultMessage["details"]): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: "c",
  toolName: "t",
  content: [text("ok")],
  ...(details === undefined ? {} : { details }),
  isError: false,
  timestamp: 0
})

export const message = (message: AgentMessage): NewEntry => ({ type: "message", message })
export const says = (said: string) => message(user(said))
export const answers = (said: string, input = 0, stopReason: StopReason = "stop") =>
  message(assistant(said, input, stopReason))
export const compaction = (firstKeptEntryId: string, summary = "summary"): NewEntry => ({
  type: "compaction",
  summary,
  firstKeptEntryId,
  tokensBefore: 9
})
export const label = (targetId: string, name?: string): NewEntry => ({
  type: "label",
  targetId,
  ...(name === undefined ? {} : { label: name })
})

export const placed = (id: string, parentId: string | null, entry: NewEntry): OwnEntry => ({
  ...entry,
  id,
  parentId,
  timestamp: time
})

/** Each the child of the one before: e0, e1, e2… */
export const line = (...entries: ReadonlyArray<NewEntry>): ReadonlyArray<OwnEntry> =>
  entries.map((entry, at) => placed(`e${at}`, at === 0 ? null : `e${at - 1}`, entry))
