/**
 * The cost of entries: one item for each call to a provider. Assistant messages carry their usage, failed attempts
 * included. Other calls have `usage` entries. A tool that calls models reports their usage in its details.
 */
import * as Schema from "effect/Schema"
import type { AssistantMessage } from "../conversation/Message.ts"
import { type Tokens, Usage, Work } from "../model/Usage.ts"
import type { SessionEntry } from "./SessionEntry.ts"

const isUsage = (value: unknown): value is Usage => value !== undefined && Schema.is(Usage())(value)

export interface Spent {
  readonly tokens: Tokens & { readonly total: number }
  /** USD. */
  readonly cost: number
  readonly toolCalls: number
  readonly subagents: number
  /** Model calls of the conversation that answered, or used anything. */
  readonly turns: number
  /** How long runs took together, by the timestamps of their entries. */
  readonly wallTimeMs: number
}

export const nothing: Spent = {
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  cost: 0,
  toolCalls: 0,
  subagents: 0,
  turns: 0,
  wallTimeMs: 0
}

const isWork = (value: unknown): value is Work => value !== undefined && Schema.is(Work())(value)

/** Whether the message is from a model call; a run that is cut off between two has an empty one. */
export const isTurn = ({ stopReason, usage }: AssistantMessage): boolean =>
  (stopReason !== "error" && stopReason !== "aborted") || usage.totalTokens > 0

const usageOf = (entry: SessionEntry): Usage | undefined => {
  if (entry.type === "usage") return entry.usage
  if (entry.type !== "message") return undefined
  const { message } = entry
  if (message.role === "assistant") return message.usage
  const reported = message.role === "toolResult" ? message.details?.["usage"] : undefined
  return isUsage(reported) ? reported : entry.toolUsage
}

export const add = ({ cost, tokens, ...counts }: Spent, usage: Usage): Spent => ({
  ...counts,
  tokens: {
    input: tokens.input + usage.input,
    output: tokens.output + usage.output,
    cacheRead: tokens.cacheRead + usage.cacheRead,
    cacheWrite: tokens.cacheWrite + usage.cacheWrite,
    total: tokens.total + usage.input + usage.output + usage.cacheRead + usage.cacheWrite
  },
  cost: cost + usage.cost.total
})

export const plus = (one: Spent, other: Spent): Spent => ({
  tokens: {
    input: one.tokens.input + other.tokens.input,
    output: one.tokens.output + other.tokens.output,
    cacheRead: one.tokens.cacheRead + other.tokens.cacheRead,
    cacheWrite: one.tokens.cacheWrite + other.tokens.cacheWrite,
    total: one.tokens.total + other.tokens.total
  },
  cost: one.cost + other.cost,
  toolCalls: one.toolCalls + other.toolCalls,
  subagents: one.subagents + other.subagents,
  turns: one.turns + other.turns,
  wallTimeMs: one.wallTimeMs + other.wallTimeMs
})

const oneTurn: Work = { toolCalls: 0, subagents: 0, turns: 1 }
const oneCall: Work = { toolCalls: 1, subagents: 0, turns: 0 }

const addWork = (spent: Spent, work: Work | undefined): Spent =>
  work === undefined
    ? spent
    : {
        ...spent,
        toolCalls: spent.toolCalls + work.toolCalls,
        subagents: spent.subagents + work.subagents,
        turns: spent.turns + work.turns,
        wallTimeMs: spent.wallTimeMs + (work.wallTimeMs ?? 0)
      }

const count = (spent: Spent, entry: SessionEntry): Spent => {
  if (entry.type === "usage") return addWork(spent, entry.spent)
  if (entry.type !== "message") return spent
  const { message } = entry
  if (message.role === "assistant") return isTurn(message) ? addWork(spent, oneTurn) : spent
  if (message.role !== "toolResult") return spent
  const below = message.details?.["spent"]
  const called = entry.call === "not_started" ? spent : addWork(spent, oneCall)
  return addWork(called, isWork(below) ? below : undefined)
}

/** What a run writes down while it is active. Its prompt is the first such entry; the time before a prompt is idle. */
const isWritten = (entry: SessionEntry): entry is SessionEntry & { readonly type: "message" } =>
  entry.type === "message" && entry.message.role !== "bashExecution"

const isStep = (entry: SessionEntry) =>
  isWritten(entry) &&
  (entry.message.role === "assistant" || entry.message.role === "toolResult") &&
  entry.call !== "cut_off"

/** The time from one entry of a run to the next. A clock that was set back takes none. */
const timeBetween = (before: SessionEntry | undefined, entry: SessionEntry): number => {
  const passed = before === undefined ? 0 : Date.parse(entry.timestamp) - Date.parse(before.timestamp)
  return passed > 0 ? passed : 0
}

export const total = (entries: ReadonlyArray<SessionEntry>): Spent => {
  let spent = nothing
  let before: SessionEntry | undefined
  let wallTimeMs = 0
  for (const entry of entries) {
    const usage = usageOf(entry)
    if (usage !== undefined) spent = add(spent, usage)
    spent = count(spent, entry)
    if (isStep(entry)) wallTimeMs += timeBetween(before, entry)
    if (isWritten(entry) || entry.type === "custom_message") before = entry
  }
  return { ...spent, wallTimeMs: spent.wallTimeMs + wallTimeMs }
}
