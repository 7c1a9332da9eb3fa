/**
 * The cost of entries: one item for each call to a provider. Assistant messages carry their usage, failed attempts
 * included. Other calls have `usage` entries. A tool that calls models reports their usage in its details.
 */
import * as Schema from "effect/Schema"
import type { SessionEntry } from "./SessionEntry.ts"
import { type Tokens, Usage } from "../model/Usage.ts"

const isUsage = (value: unknown): value is Usage => value !== undefined && Schema.is(Usage())(value)

export interface Spent {
  readonly tokens: Tokens & { readonly total: number }
  /** USD. */
  readonly cost: number
  readonly toolCalls: number
}

export const nothing: Spent = {
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  cost: 0,
  toolCalls: 0
}

const usageOf = (entry: SessionEntry): Usage | undefined => {
  if (entry.type === "usage") return entry.usage
  if (entry.type !== "message") return undefined
  const { message } = entry
  if (message.role === "assistant") return message.usage
  const reported = message.role === "toolResult" ? message.details?.["usage"] : undefined
  return isUsage(reported) ? reported : undefined
}

export const add = ({ cost, tokens, toolCalls }: Spent, usage: Usage): Spent => ({
  tokens: {
    input: tokens.input + usage.input,
    output: tokens.output + usage.output,
    cacheRead: tokens.cacheRead + usage.cacheRead,
    cacheWrite: tokens.cacheWrite + usage.cacheWrite,
    total: tokens.total + usage.input + usage.output + usage.cacheRead + usage.cacheWrite
  },
  cost: cost + usage.cost.total,
  toolCalls
})

export const total = (entries: ReadonlyArray<SessionEntry>): Spent => {
  let spent = nothing
  for (const entry of entries) {
    const usage = usageOf(entry)
    if (usage !== undefined) spent = add(spent, usage)
    if (entry.type === "message" && entry.message.role === "toolResult") {
      spent = { ...spent, toolCalls: spent.toolCalls + 1 }
    }
  }
  return spent
}
