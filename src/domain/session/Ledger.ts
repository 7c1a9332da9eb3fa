/**
 * The cost of entries: one item for each call to a provider. Assistant messages carry their usage, failed attempts
 * included. Other calls have `usage` entries. A tool that calls models reports their usage in its details.
 */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../conversation/Content.ts"
import type { AssistantMessage } from "../conversation/Message.ts"
import * as Usage from "../model/Usage.ts"
import type { SessionEntry } from "./SessionEntry.ts"

const isUsage = (value: unknown): value is Usage.Usage => value !== undefined && Schema.is(Usage.Usage)(value)

export interface Spent {
  readonly tokens: Usage.Tokens & { readonly total: number }
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

const isWork = (value: unknown): value is Usage.Work => value !== undefined && Schema.is(Usage.Work)(value)

/** Whether the message is from a model call; a run that is cut off between two has an empty one. */
export const isTurn = ({ stopReason, usage }: AssistantMessage): boolean =>
  (stopReason !== "error" && stopReason !== "aborted") || usage.totalTokens > 0

/** What a tool says in its details of calls that are not counted yet. A `task` call says there what its subagents have counted. */
export const reportedIn = (details: JsonObject | undefined): Usage.Usage | undefined => {
  const usage = details?.["usage"]
  return isUsage(usage) && !isWork(details?.["spent"]) ? usage : undefined
}

const usageOf = (entry: SessionEntry): Usage.Usage | undefined => {
  if (entry.type === "usage") return entry.usage
  if (entry.type !== "message") return undefined
  const { message } = entry
  if (message.role === "assistant") return message.usage
  if (message.role !== "toolResult") return undefined
  const reported = message.details?.["usage"]
  return entry.toolUsage ?? (isUsage(reported) ? reported : undefined)
}

/** The usage of all calls together. */
export const usage = (entries: ReadonlyArray<SessionEntry>): Usage.Usage => {
  let sum = Usage.zero
  for (const entry of entries) {
    const one = usageOf(entry)
    // Other programs leave out the total, or count it in another way.
    if (one !== undefined) sum = Usage.add(sum, { ...one, totalTokens: Usage.inputOf(one) + one.output })
  }
  return sum
}

const oneTurn: Usage.Work = { toolCalls: 0, subagents: 0, turns: 1 }
const oneCall: Usage.Work = { toolCalls: 1, subagents: 0, turns: 0 }

const addWork = (spent: Spent, work: Usage.Work | undefined): Spent =>
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
    spent = count(spent, entry)
    if (isStep(entry)) wallTimeMs += timeBetween(before, entry)
    if (isWritten(entry) || entry.type === "custom_message") before = entry
  }
  const { cacheRead, cacheWrite, cost, input, output, totalTokens } = usage(entries)
  const tokens = { input, output, cacheRead, cacheWrite, total: totalTokens }
  return { ...spent, tokens, cost: cost.total, wallTimeMs: spent.wallTimeMs + wallTimeMs }
}
