/** Tokens and cost, for each call and in total. */
import type { Entry } from "../conversation/Entries.ts"
import { kindOf, messageOf } from "../conversation/Items.ts"
import { isRecord, type JsonRecord, number, record, text } from "../text/Json.ts"

export const tokenClasses = ["input", "cacheRead", "cacheWrite", "output"] as const
export type TokenClass = (typeof tokenClasses)[number]

export type Tokens = Readonly<Record<TokenClass, number>>

export interface Turn {
  readonly entryId: string
  readonly time: number
  /** Empty for calls of subagents, which may have been of several models. */
  readonly model: string
  readonly tokens: Tokens
  readonly total: number
  readonly cost: number
}

const toTurn = (entry: Entry, usage: JsonRecord, model: string): Turn => {
  const tokens = {
    input: number(usage["input"]),
    cacheRead: number(usage["cacheRead"]),
    cacheWrite: number(usage["cacheWrite"]),
    output: number(usage["output"])
  }
  const total = tokenClasses.reduce((sum, name) => sum + tokens[name], 0)
  const cost = number(record(usage["cost"])["total"])
  return { entryId: entry.id, time: entry.time, model, tokens, total, cost }
}

/** Includes calls for summaries and calls of subagents. */
const turnOf = (entry: Entry): Turn | undefined => {
  const message = messageOf(entry)
  const kind = kindOf(entry)
  if (kind === "assistant" || entry.type === "usage") {
    return toTurn(entry, record(message["usage"]), text(message["model"]))
  }
  const inner = kind === "result" ? record(message["details"])["usage"] : undefined
  return isRecord(inner) ? toTurn(entry, inner, "") : undefined
}

export const turns = (entries: ReadonlyArray<Entry>): ReadonlyArray<Turn> =>
  entries.map(turnOf).filter((turn) => turn !== undefined)

export interface Sum {
  readonly tokens: Tokens
  readonly total: number
  readonly cost: number
}

export const sum = (all: ReadonlyArray<Turn>): Sum => {
  const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }
  let [total, cost] = [0, 0]
  for (const turn of all) {
    for (const name of tokenClasses) tokens[name] += turn.tokens[name]
    total += turn.total
    cost += turn.cost
  }
  return { tokens, total, cost }
}

/** At most `most` groups of neighbours, because a chart has no room for ten thousand bars. */
export const group = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<ReadonlyArray<A>> => {
  const size = Math.max(1, Math.ceil(all.length / most))
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}

export interface Counts {
  readonly prompts: number
  readonly answers: number
  readonly toolCalls: number
  readonly failedCalls: number
}

export const count = (entries: ReadonlyArray<Entry>): Counts => {
  const counts = { prompts: 0, answers: 0, toolCalls: 0, failedCalls: 0 }
  for (const entry of entries) {
    const kind = kindOf(entry)
    const message = messageOf(entry)
    if (kind === "user") counts.prompts++
    if (kind === "assistant") counts.answers++
    if (kind === "result") counts.toolCalls++
    if (kind === "result" && message["isError"] === true) counts.failedCalls++
  }
  return counts
}
