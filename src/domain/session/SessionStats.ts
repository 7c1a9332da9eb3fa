/** The data of `get_session_stats` (protocol.md 3.7). */
import * as Schema from "effect/Schema"
import { described, optional } from "../conversation/Content.ts"
import * as ContextTokens from "../compaction/ContextTokens.ts"
import * as Ledger from "./Ledger.ts"
import type { AgentMessage } from "../conversation/Message.ts"
import type { Model } from "../model/Model.ts"
import type { SessionEntry } from "./SessionEntry.ts"
import { Tokens } from "../model/Usage.ts"
import { defined } from "../Values.ts"

export const ContextUsage = Schema.Struct({
  tokens: described(
    Schema.NullOr(Schema.Finite),
    "Null after a compaction, until a provider has counted the new context."
  ),
  contextWindow: Schema.Finite,
  percent: Schema.NullOr(Schema.Finite)
}).annotations({ identifier: "ContextUsage", description: "How much of the model's window the conversation takes." })
export type ContextUsage = typeof ContextUsage.Type

const Totals = Schema.Struct({
  tokens: Schema.Struct({ ...Tokens.fields, total: Schema.Finite }),
  cost: Schema.Finite
})

export const SessionStats = Schema.Struct({
  userMessages: Schema.Int,
  assistantMessages: Schema.Int,
  toolCalls: Schema.Int,
  toolResults: Schema.Int,
  totalMessages: Schema.Int,
  ...Totals.fields,
  allBranches: Totals,
  contextUsage: optional(ContextUsage)
}).annotations({ identifier: "SessionStats" })
export type SessionStats = typeof SessionStats.Type

/** Undefined if there is no model or its window is unknown. `branch` may start at its newest `ContextTokens.isBasis`. */
export const contextUsage = (
  branch: ReadonlyArray<SessionEntry>,
  model: Model | undefined
): ContextUsage | undefined => {
  const contextWindow = model?.contextWindow ?? 0
  if (contextWindow <= 0) return undefined
  const { basis, tokens } = ContextTokens.ofBranch(branch)
  return basis === "compacted"
    ? { tokens: null, contextWindow, percent: null }
    : { tokens, contextWindow, percent: (tokens / contextWindow) * 100 }
}

const counts = (messages: ReadonlyArray<AgentMessage>) => {
  const count = { userMessages: 0, assistantMessages: 0, toolCalls: 0, toolResults: 0 }
  for (const message of messages) {
    if (message.role === "user") count.userMessages++
    if (message.role === "toolResult") count.toolResults++
    if (message.role !== "assistant") continue
    count.assistantMessages++
    for (const block of message.content) if (block.type === "toolCall") count.toolCalls++
  }
  return { ...count, totalMessages: messages.length }
}

const totals = (entries: ReadonlyArray<SessionEntry>): typeof Totals.Type => {
  const { cost, tokens } = Ledger.total(entries)
  return { tokens, cost }
}

export interface Parts {
  /** The conversation as the model is sent it. Its messages are counted. */
  readonly messages: ReadonlyArray<AgentMessage>
  /** The whole active branch, compacted entries included. Its tokens and cost are counted. */
  readonly branch: ReadonlyArray<SessionEntry>
  readonly entries: ReadonlyArray<SessionEntry>
  readonly model: Model | undefined
}

export const make = ({ branch, entries, messages, model }: Parts): SessionStats => {
  const usage = contextUsage(branch, model)
  return { ...counts(messages), ...totals(branch), allBranches: totals(entries), ...defined({ contextUsage: usage }) }
}
