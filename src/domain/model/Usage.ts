/** Tokens and money of model calls (protocol.md 5.2, 16.1). */
import * as Schema from "effect/Schema"
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
  }).annotations({ identifier: "Usage" })
)
export type Usage = Type<typeof Usage>

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
