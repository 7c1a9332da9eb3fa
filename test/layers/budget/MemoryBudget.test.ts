import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import type { SessionEntry } from "../../../src/domain/session/SessionEntry.ts"
import * as MemoryBudget from "../../../src/layers/budget/MemoryBudget.ts"
import { Budget } from "../../../src/services/Budget.ts"
import { Session } from "../../../src/services/session/Session.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"

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
const { model } = ScriptedModel

const opened = Effect.fnUntraced(function* (
  limits: MemoryBudget.BudgetLimits,
  entries: ReadonlyArray<SessionEntry> = [],
  fixed: MemoryBudget.BudgetLimits = {}
) {
  const events: Array<AgentEvent> = []
  const { open } = MemoryBudget.make(limits, fixed)
  const header = { type: "session" as const, version: 3 as const, id: "s", timestamp: "", cwd: "/" }
  const info = { header, sessionId: "s", epoch: "e", file: Option.none(), name: Option.none() }
  const session = Layer.mock(Session, { entries: Effect.succeed([...entries]), info: Effect.succeed(info) })
  const budget = yield* Effect.provide(
    open((event) => events.push(event)),
    session
  )
  return { budget, told: () => events.map(({ _tag }) => _tag) }
})

it.scoped("a limit of one tool call lets one run, and the attempt at a second is told once", () =>
  Effect.gen(function* () {
    const { budget, told } = yield* opened({ maxToolCalls: 1 })
    yield* budget.toolCall
    assert.deepStrictEqual(told(), ["BudgetWarning"])
    assert.strictEqual((yield* Effect.flip(budget.toolCall)).reason, "tool_calls")
    assert.isTrue(Effect.runSync(Effect.isFailure(budget.check)))
    assert.deepStrictEqual(told(), ["BudgetWarning", "BudgetSpent"])
    yield* budget.setLimits({ maxToolCalls: 2 })
    yield* budget.check
    yield* budget.toolCall
  })
)

it.scoped("what a resumed session has spent counts", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxInputTokens: 100 }, [called(30), called(40)])
    yield* budget.check
    yield* budget.recordUsage(usage(30))
    assert.strictEqual((yield* Effect.flip(budget.check)).spent, 100)
  })
)

it.scoped("parallel scopes reserve in the one above, and what they spend stays there", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxInputTokens: 100 })
    const spent = Effect.gen(function* () {
      const one = yield* budget.child({ scope: "subagent", id: "1", limits: {} })
      const two = yield* budget.child({ scope: "subagent", id: "2", limits: {} })
      const reserved = yield* one.modelCall({ model, inputTokens: 60 })
      const waiting = yield* Effect.fork(Effect.flip(two.modelCall({ model, inputTokens: 60 })))
      yield* Effect.yieldNow()
      assert.isNull(waiting.unsafePoll())
      yield* reserved.settle(usage(50))
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "BudgetExceeded")
      assert.strictEqual((yield* budget.scopes).length, 3)
    })
    yield* Effect.scoped(spent)
    const { inputTokens, turns } = yield* budget.snapshot
    assert.deepStrictEqual([inputTokens, turns, (yield* budget.scopes).length], [50, 1, 1])
  })
)

it.scoped("wall time ends what runs, and a fixed limit is only tightened", () =>
  Effect.gen(function* () {
    const { budget, told } = yield* opened({}, [], { maxWallTimeMs: 100 })
    assert.strictEqual((yield* Effect.flip(budget.setLimits({ maxWallTimeMs: 200 })))._tag, "BudgetFixed")
    let ended: string | undefined
    const timed = Effect.flip(budget.whileRunning(Effect.interruptible(Effect.never)))
    const noted = Effect.map(timed, ({ reason }) => void (ended = reason))
    const running = yield* Effect.fork(Effect.uninterruptible(noted))
    yield* TestClock.adjust(100)
    yield* Fiber.await(running)
    assert.strictEqual(ended, "wall_time")
    assert.deepStrictEqual(told(), ["BudgetWarning", "BudgetSpent"])
  })
)

it.scoped("a model without a known price is refused where only the cost is limited", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxCostUsd: 1 })
    const unpriced = { ...model, costUnknown: true as const }
    const refused = yield* Effect.flip(budget.modelCall({ model: unpriced, inputTokens: 1 }))
    assert.strictEqual(refused._tag, "NoPrice")
    yield* budget.setLimits({ maxTotalTokens: 5000 })
    yield* budget.modelCall({ model: unpriced, inputTokens: 1 })
  })
)

it.effect("the layer gives the service", () =>
  Effect.gen(function* () {
    assert.isFunction((yield* Budget).open)
  }).pipe(Effect.provide(MemoryBudget.layer({ maxTurns: 1 })))
)
