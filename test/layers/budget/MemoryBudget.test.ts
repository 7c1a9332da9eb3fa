import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
      const budget = yield* Effect.flatMap(Budget, ({ open }) => open)
      assert.strictEqual(reads(), 0, "not at the start")
      yield* budget.check
      yield* budget.recordUsage(usage(30))
      yield* budget.check
      yield* budget.recordUsage(usage(1))
      const { limit, reason, spent } = yield* Effect.flip(budget.check)
      assert.deepStrictEqual({ limit, reason, spent }, { limit: 100, reason: "input_tokens", spent: 101 })
      assert.strictEqual(reads(), 1)
    }).pipe(Effect.scoped, Effect.provide(MemoryBudget.layer({ input_tokens: 100 })), Effect.provide(session))
  })
)

it.effect("a call that is counted before anybody asks is counted on top of it", () =>
  Effect.gen(function* () {
    const { session } = yield* resumed
    yield* Effect.gen(function* () {
      const budget = yield* Effect.flatMap(Budget, ({ open }) => open)
      yield* budget.recordToolCall
      yield* budget.recordUsage(usage(31))
      assert.strictEqual((yield* Effect.flip(budget.check)).spent, 101)
    }).pipe(Effect.scoped, Effect.provide(MemoryBudget.layer({ total_tokens: 100 })), Effect.provide(session))
  })
)

it.effect("two sessions count for themselves, and without limits nothing is read", () =>
  Effect.gen(function* () {
    const { reads, session } = yield* resumed
    const fresh = Layer.mock(Session, { entries: Effect.succeed([]) })
    yield* Effect.gen(function* () {
      const { open } = yield* Budget
      const [one, other] = [yield* Effect.provide(open, session), yield* Effect.provide(open, fresh)]
      yield* other.recordUsage(usage(69))
      yield* other.check
      assert.strictEqual((yield* Effect.flip(one.check)).spent, 70)
      yield* other.recordUsage(usage(1))
      assert.strictEqual((yield* Effect.flip(other.check)).spent, 70)
    }).pipe(Effect.scoped, Effect.provide(MemoryBudget.layer({ input_tokens: 69 })))
    assert.strictEqual(reads(), 1)
    yield* Effect.gen(function* () {
      const budget = yield* Effect.flatMap(Budget, ({ open }) => open)
      yield* budget.recordUsage(usage(1))
      yield* budget.check
    }).pipe(Effect.scoped, Effect.provide(MemoryBudget.layer({})), Effect.provide(session))
    assert.strictEqual(reads(), 1)
  })
)
