/** Tokens and money of model calls (protocol.md 5.2, 16.1). */
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { defined } from "../Values.ts"

/** More than anybody has ever used. Sums stop here, too, so that a faulty count cannot become infinite. */
export const most = 1e12

const Count = Schema.Finite.pipe(Schema.filter((value) => value >= 0 && value <= most, { jsonSchema: { minimum: 0 } }))

export const isCount = Schema.is(Count)

/** The token classes of one call. `input` does not include tokens read from or written to a cache. */
export const Tokens = Schema.Struct({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count })
export type Tokens = typeof Tokens.Type

export const Usage = Schema.Struct({
  ...Tokens.fields,
  totalTokens: Count,
  cost: Schema.Struct({ ...Tokens.fields, total: Count }),
  estimated: optional(
    Schema.Literal(true),
    "heddle has estimated some of it from what was sent and received, because the provider did not report it, or reported what cannot be right."
  )
}).annotations({
  identifier: "Usage",
  description: "The tokens of model calls and their cost in USD. `input` does not include `cacheRead` and `cacheWrite`."
})
export type Usage = typeof Usage.Type

/** What is counted beside tokens, where one entry stands for the work of many: a call that had subagents, a handoff. */
export const Work = Schema.Struct({
  toolCalls: Count,
  subagents: Count,
  turns: Count,
  /** Time that the timestamps of the session's entries do not show. */
  wallTimeMs: optional(Count)
})
export type Work = typeof Work.Type

export const zeroTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** What a provider says of a call. Its members can be anything until `decode` has looked at them. */
export type Report = { readonly [Class in keyof Tokens]?: unknown }

/** Parts that are more than what they are parts of. */
class Excess extends Data.Class<{ readonly part: number; readonly whole: number }> {}

const isClass = (name: string): name is keyof Tokens => Object.hasOwn(zeroTokens, name)

const shown = (value: unknown): string => {
  if (typeof value === "number") return String(value)
  if (value instanceof Excess) return `${value.part} of ${value.whole} tokens`
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

export interface Decoded {
  readonly tokens: Tokens
  /** The first member that could not be taken, in words. */
  readonly problem?: string
}

/** Reads the reports of all providers. What a report leaves out, or cannot be, stays as it was before. */
export const decode = (report: Report, before: Tokens = zeroTokens): Decoded => {
  const taken = new Map<string, number>()
  let problem: string | undefined
  for (const [name, value] of Object.entries(Predicate.isRecord(report) ? report : {})) {
    if (!isClass(name) || value === undefined || value === null) continue
    if (isCount(value) && Number.isInteger(value)) taken.set(name, value)
    else problem ??= `${shown(value)} as ${name}`
  }
  const tokens = { ...Object.fromEntries(taken), ...before, ...Object.fromEntries(taken) }
  return { tokens, ...defined({ problem }) }
}

const sum = (...amounts: ReadonlyArray<number>): number => {
  let total = 0
  for (const amount of amounts) total += amount
  return Math.min(most, total)
}

export const inputOf = ({ cacheRead, cacheWrite, input }: Tokens): number => sum(input, cacheRead, cacheWrite)

/** A report whose `input` includes what was read from or written to a cache. What is no count is left for `decode` to judge. */
export const including = ({ cacheRead, cacheWrite, input, output }: Report): Report => {
  const cached = sum(...[cacheRead, cacheWrite].filter(isCount))
  if (!isCount(input)) return { input, output, cacheRead, cacheWrite }
  if (cached > input) return { input, output, cacheRead: new Excess({ part: cached, whole: input }) }
  return { input: input - cached, output, cacheRead, cacheWrite }
}

/** An amount that is counted: whatever code of others gives, nothing is taken back. */
export const amount = (value: number): number => (value > 0 ? Math.min(value, most) : 0)

const price = (tokens: number, perMillion: number): number => amount((tokens * perMillion) / 1e6)

/** `prices` are USD per million tokens of each class. */
export const make = (tokens: Tokens, prices: Tokens): Usage => {
  const cost = {
    input: price(tokens.input, prices.input),
    output: price(tokens.output, prices.output),
    cacheRead: price(tokens.cacheRead, prices.cacheRead),
    cacheWrite: price(tokens.cacheWrite, prices.cacheWrite)
  }
  return {
    ...tokens,
    totalTokens: sum(tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite),
    cost: { ...cost, total: sum(cost.input, cost.output, cost.cacheRead, cost.cacheWrite) }
  }
}

export const zero: Usage = make(zeroTokens, zeroTokens)

const combine = (one: Usage, other: Usage, by: (a: number, b: number) => number): Usage => ({
  input: by(one.input, other.input),
  output: by(one.output, other.output),
  cacheRead: by(one.cacheRead, other.cacheRead),
  cacheWrite: by(one.cacheWrite, other.cacheWrite),
  totalTokens: by(one.totalTokens, other.totalTokens),
  cost: {
    input: by(one.cost.input, other.cost.input),
    output: by(one.cost.output, other.cost.output),
    cacheRead: by(one.cost.cacheRead, other.cost.cacheRead),
    cacheWrite: by(one.cost.cacheWrite, other.cost.cacheWrite),
    total: by(one.cost.total, other.cost.total)
  },
  ...(one.estimated === true || other.estimated === true ? { estimated: true } : {})
})

export const add = (one: Usage, other: Usage): Usage => combine(one, other, sum)

/** What is left of `all` without `part`, of which it is the sum. Sums of prices are not exact, so it is never below 0. */
export const subtract = (all: Usage, part: Usage): Usage => combine(all, part, (a, b) => Math.max(0, a - b))
