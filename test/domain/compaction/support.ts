/** Branches made of short words, for tests of what becomes of them. */
import { text } from "../../../src/domain/conversation/Content.ts"
import type { AgentMessage, AssistantMessage, StopReason } from "../../../src/domain/conversation/Message.ts"
import type { NewEntry, OwnEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"

export const user = (said: string): AgentMessage => ({ role: "user", content: [text(said)], timestamp: 0 })

export const assistant = (
  content: AssistantMessage["content"],
  tokens: Partial<Usage.Tokens> = {},
  stopReason: StopReason = "stop"
): AssistantMessage => ({
  role: "assistant",
  content,
  api: "a",
  provider: "p",
  model: "m",
  usage: Usage.make({ ...Usage.zeroTokens, ...tokens }, Usage.zeroTokens),
  stopReason,
  timestamp: 0
})

export const says = (said: string, tokens: Partial<Usage.Tokens> = {}) => assistant([text(said)], tokens)

export const calls = (name: string, args: Readonly<Record<string, unknown>>) =>
  assistant([{ type: "toolCall", id: "c", name, arguments: args }], {}, "toolUse")

export const result = (said: string): AgentMessage => ({
  role: "toolResult",
  toolCallId: "c",
  toolName: "t",
  content: [text(said)],
  isError: false,
  timestamp: 0
})

export const bash = (output: string, excludeFromContext = false): AgentMessage => ({
  role: "bashExecution",
  command: "make",
  output,
  exitCode: 0,
  cancelled: false,
  truncated: false,
  excludeFromContext,
  timestamp: 0
})

export const message = (said: AgentMessage): NewEntry => ({ type: "message", message: said })
export const level: NewEntry = { type: "thinking_level_change", thinkingLevel: "low" }
export const note = (content: string): NewEntry => ({
  type: "custom_message",
  customType: "x",
  content,
  display: true
})
export const left = (summary: string): NewEntry => ({ type: "branch_summary", fromId: "root", summary })
export const compaction = (firstKeptEntryId: string, summary = "before"): NewEntry => ({
  type: "compaction",
  summary,
  firstKeptEntryId,
  tokensBefore: 9
})

/** Ids are e0, e1, … */
export const branch = (...entries: ReadonlyArray<NewEntry>): ReadonlyArray<OwnEntry> =>
  entries.map((entry, at) => ({
    ...entry,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: "1970-01-01T00:00:00.000Z"
  }))
