import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Ledger from "../../../src/domain/session/Ledger.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import { Budget } from "../../../src/services/Budget.ts"
import { Session } from "../../../src/services/session/Session.ts"

const usage = (input: number): Usage.Usage => ({ ...Usage.zero, input, totalTokens: input })
const called = (input: number): SessionEntry => ({
  type: "usage",
  source: "compaction",
  provider: "p",
  model: "m",
  usage: usage(input),
  id: `${input}`,
  parentId: null,
  timestamp: ""
})

/** A session that was left with 70 tokens spent, and how often it was read. */
const resumed = Effect.sync(() => {
  let reads = 0
  const entries = Effect.sync(() => {
    reads++
    return [called(30), called(40)]
  })
  return { reads: () => reads, session: Layer.mock(Session, { entries }) }
})

it.effect("what a resumed session has spent before counts from the first question on, and is read once", () =>
  Effect.gen(function* () {
    const { reads, session } = yield* resumed
    yield* Effect.gen(function* () {
      const budget = yield* Budget
      assert.strictEqual(reads(), 0, "not at the start")
      yield* budget.check
      yield* budget.recordUsage(usage(30))
      yield* budget.check
      yield* budget.recordUsage(usage(1))
      const { limit, reason, spent } = yield* Effect.flip(budget.check)
      assert.deepStrictEqual({ limit, reason, spent }, { limit: 100, reason: "input_tokens", spent: 101 })
      assert.strictEqual(reads(), 1)
    }).pipe(Effect.provide(MemoryBudget.layerResumed({ input_tokens: 100 })), Effect.provide(session))
  })
)

it.effect("a call that is counted before anybody asks is counted on top of it", () =>
  Effect.gen(function* () {
    const { session } = yield* resumed
    yield* Effect.gen(function* () {
      const budget = yield* Budget
      yield* budget.recordToolCall
      yield* budget.recordUsage(usage(31))
      assert.strictEqual((yield* Effect.flip(budget.check)).spent, 101)
    }).pipe(Effect.provide(MemoryBudget.layerResumed({ total_tokens: 100 })), Effect.provide(session))
  })
)

it.effect("another session brings its own count, and without limits nothing is read", () =>
  Effect.gen(function* () {
    const { reads, session } = yield* resumed
    yield* Effect.gen(function* () {
      const budget = yield* Budget
      yield* budget.begin(Ledger.nothing)
      yield* budget.recordUsage(usage(69))
      yield* budget.check
    }).pipe(Effect.provide(MemoryBudget.layerResumed({ input_tokens: 69 })), Effect.provide(session))
    yield* Effect.gen(function* () {
      const budget = yield* Budget
      yield* budget.recordUsage(usage(1))
      yield* budget.check
    }).pipe(Effect.provide(MemoryBudget.layerResumed({})), Effect.provide(session))
    assert.strictEqual(reads(), 0)
  })
)
