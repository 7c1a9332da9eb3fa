/** Tokens and money of model calls (protocol.md 5.2, 16.1). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { lazy, type Type } from "../Lazy.ts"

const Count = Schema.Finite

/** The token classes of one call. `input` does not include tokens read from or written to a cache. */
export const Tokens = lazy(() => Schema.Struct({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }))
export type Tokens = Type<typeof Tokens>

export const Usage = lazy(() =>
  Schema.Struct({
    ...Tokens().fields,
    totalTokens: Count,
    cost: Schema.Struct({ ...Tokens().fields, total: Count })
  }).annotations({
    identifier: "Usage",
    description:
      "The tokens of model calls and their cost in USD. `input` does not include `cacheRead` and `cacheWrite`."
  })
)
export type Usage = Type<typeof Usage>

/** What is counted beside tokens, where one entry stands for the work of many: a call that had subagents, a handoff. */
export const Work = lazy(() =>
  Schema.Struct({
    toolCalls: Count,
    subagents: Count,
    turns: Count,
    /** Time that the timestamps of the session's entries do not show. */
    wallTimeMs: optional(Count)
  })
)
export type Work = Type<typeof Work>

export const zeroTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** `prices` are USD per million tokens of each class. */
export const make = (tokens: Tokens, prices: Tokens): Usage => {
  const cost = {
    input: (tokens.input * prices.input) / 1e6,
    output: (tokens.output * prices.output) / 1e6,
    cacheRead: (tokens.cacheRead * prices.cacheRead) / 1e6,
    cacheWrite: (tokens.cacheWrite * prices.cacheWrite) / 1e6
  }
  return {
    ...tokens,
    totalTokens: tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite,
    cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite }
  }
}

export const zero: Usage = make(zeroTokens, zeroTokens)

export const add = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  totalTokens: one.totalTokens + other.totalTokens,
  cost: {
    input: one.cost.input + other.cost.input,
    output: one.cost.output + other.cost.output,
    cacheRead: one.cost.cacheRead + other.cost.cacheRead,
    cacheWrite: one.cost.cacheWrite + other.cost.cacheWrite,
    total: one.cost.total + other.cost.total
  }
})
