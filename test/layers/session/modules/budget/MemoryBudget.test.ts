import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { AgentEvent } from "../../../../../src/domain/conversation/AgentEvent.ts"
import * as Usage from "../../../../../src/domain/model/Usage.ts"
import type { SessionEntry } from "../../../../../src/domain/session/SessionEntry.ts"
import * as MemoryBudget from "../../../../../src/layers/session/modules/budget/MemoryBudget.ts"
import { Budget } from "../../../../../src/services/session/modules/Budget.ts"
import { Session } from "../../../../../src/services/session/Session.ts"
import * as ScriptedModel from "../../../../support/agent/ScriptedModel.ts"

const usage = (input: number): Usage.Usage => ({ ...Usage.zero, input, totalTokens: input })
const called = (input: number, subagents = 0): SessionEntry => ({
  type: "usage",
  source: "compaction",
  provider: "p",
  model: "m",
  usage: usage(input),
  spent: { toolCalls: 0, subagents, turns: 0 },
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

it.scoped("a refused subagent refuses prompts, but model calls and tools go on until another limit ends them", () =>
  Effect.gen(function* () {
    const { budget, told } = yield* opened({ maxSubagents: 1, maxInputTokens: 100 })
    const child = yield* budget.child({ scope: "subagent", id: "c", limits: {} })
    yield* budget.subagent
    assert.strictEqual((yield* Effect.flip(budget.subagent)).reason, "subagents")
    assert.strictEqual((yield* Effect.flip(budget.check)).reason, "subagents")
    yield* child.check
    for (const each of [budget, child]) {
      assert.isTrue(yield* each.mayCall)
      yield* each.toolCall
      const { settle } = yield* each.modelCall({ model, inputTokens: 40 })
      yield* settle(usage(60))
    }
    for (const each of [budget, child]) {
      assert.isFalse(yield* each.mayCall)
      assert.strictEqual((yield* Effect.flip(each.toolCall)).reason, "input_tokens")
      const refused = yield* Effect.flip(each.modelCall({ model, inputTokens: 1 }))
      assert.nestedPropertyVal(refused, "reason", "input_tokens")
    }
    assert.deepStrictEqual(told(), ["BudgetWarning", "BudgetSpent"])
  })
)

it.scoped("a refused tool call ends the model calls of its own scope", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxToolCalls: 1 })
    const [one, other] = [
      yield* budget.child({ scope: "subagent", id: "one", limits: {} }),
      yield* budget.child({ scope: "subagent", id: "other", limits: {} })
    ]
    yield* one.toolCall
    yield* Effect.flip(one.toolCall)
    const refused = yield* Effect.flip(one.modelCall({ model, inputTokens: 1 }))
    assert.nestedPropertyVal(refused, "reason", "tool_calls")
    for (const each of [other, budget]) (yield* each.modelCall({ model, inputTokens: 1 })).release()
    yield* budget.setLimits({ maxToolCalls: 2 })
    ;(yield* one.modelCall({ model, inputTokens: 1 })).release()
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

it.scoped("a start that a resumed session has spent refuses the next start, and no prompt", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxSubagents: 1 }, [called(0, 1)])
    yield* budget.check
    assert.isTrue(yield* budget.mayPrompt)
    assert.strictEqual((yield* Effect.flip(budget.subagent)).reason, "subagents")
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

it.scoped("a model without a known price is refused where only the cost is limited", () =>
  Effect.gen(function* () {
    const { budget } = yield* opened({ maxCostUsd: 1 })
    const unpriced = { ...model, costUnknown: true as const }
    const refused = yield* Effect.flip(budget.modelCall({ model: unpriced, inputTokens: 1 }))
    const child = yield* budget.child({ scope: "subagent", id: "c", limits: {} })
    const below = yield* Effect.flip(child.modelCall({ model: unpriced, inputTokens: 1 }))
    assert.deepStrictEqual([refused._tag, below._tag], ["NoPrice", "NoPrice"])
    yield* budget.setLimits({ maxTotalTokens: 5000 })
    yield* child.modelCall({ model: unpriced, inputTokens: 1 })
  })
)

it.effect("the layer gives the service", () =>
  Effect.gen(function* () {
    assert.isFunction((yield* Budget).open)
  }).pipe(Effect.provide(MemoryBudget.layer({ maxTurns: 1 })))
)

/** What was told, in short words: `warning:cost`, `exceeded:cost`. */
const words = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    if (event._tag === "BudgetWarning") return [`warning:${event.snapshot.reason}`]
    return event._tag === "BudgetSpent" ? [`exceeded:${event.snapshot.reason}`] : []
  })

const listening = Effect.fnUntraced(function* (limits: MemoryBudget.BudgetLimits) {
  const events: Array<AgentEvent> = []
  const budget = yield* MemoryBudget.alone(limits, (event) => events.push(event))
  return { budget, events }
})

describe("what is told", () => {
  const ratios: ReadonlyArray<readonly [ratio: number, calls: number]> = [
    [0, 1],
    [0.5, 5],
    [0.8, 8],
    [1, 10]
  ]
  it.effect.each(ratios)("a warning at %d of a limit", ([warnAtRatio, calls]) =>
    Effect.gen(function* () {
      const { budget, events } = yield* listening({ maxToolCalls: 10, warnAtRatio })
      for (let call = 1; call < calls; call++) yield* budget.toolCall
      assert.deepStrictEqual(words(events), [])
      yield* budget.toolCall
      assert.deepStrictEqual(words(events), ["warning:tool_calls"])
      for (let call = calls; call < 10; call++) yield* budget.toolCall
      assert.deepStrictEqual(words(events), ["warning:tool_calls"])
      yield* Effect.flip(budget.toolCall)
      yield* Effect.flip(budget.toolCall)
      assert.deepStrictEqual(words(events), ["warning:tool_calls", "exceeded:tool_calls"])
    })
  )

  it.effect("a jump over both: every warning, then once that it is exceeded", () =>
    Effect.gen(function* () {
      const { budget, events } = yield* listening({ maxInputTokens: 10, maxTotalTokens: 30, maxOutputTokens: 5 })
      yield* budget.recordUsage(usage(25))
      assert.deepStrictEqual(words(events), ["warning:input_tokens", "warning:total_tokens", "exceeded:input_tokens"])
      yield* budget.recordUsage(usage(25))
      assert.strictEqual(events.length, 3)
    })
  )

  it.effect("a limit that is raised is told anew, one that is set below what is spent at once", () =>
    Effect.gen(function* () {
      const { budget, events } = yield* listening({ maxToolCalls: 2 })
      yield* budget.toolCall
      yield* budget.toolCall
      yield* Effect.flip(budget.toolCall)
      yield* budget.setLimits({ maxToolCalls: 4 })
      assert.strictEqual((yield* budget.snapshot).status, "ok")
      yield* budget.toolCall
      yield* budget.toolCall
      yield* budget.setLimits({ maxToolCalls: 3 })
      assert.deepStrictEqual(words(events), [
        "warning:tool_calls",
        "exceeded:tool_calls",
        "warning:tool_calls",
        "exceeded:tool_calls"
      ])
      assert.strictEqual((yield* Effect.flip(budget.check)).reason, "tool_calls")
      yield* budget.setLimits({ maxToolCalls: null })
      yield* budget.check
    })
  )

  it.scoped("each scope by its name", () =>
    Effect.gen(function* () {
      const { budget, events } = yield* listening({ maxToolCalls: 100 })
      const batch = yield* budget.child({ scope: "task", id: "call_1", limits: { maxToolCalls: 2 } })
      const agent = yield* batch.child({ scope: "subagent", id: "0-A", limits: { maxToolCalls: 1 } })
      const other = yield* batch.child({ scope: "subagent", id: "1-B", limits: {} })
      yield* agent.toolCall
      yield* Effect.flip(agent.toolCall)
      yield* other.toolCall
      assert.strictEqual((yield* Effect.flip(other.toolCall)).limit, 2)
      yield* budget.toolCall
      assert.deepStrictEqual(
        events.map((event) => ("scope" in event ? [event._tag, event.scope, event.id] : [])),
        [
          ["BudgetWarning", "subagent", "0-A"],
          ["BudgetSpent", "subagent", "0-A"],
          ["BudgetWarning", "task", "call_1"],
          ["BudgetSpent", "task", "call_1"]
        ]
      )
      assert.deepStrictEqual(
        (yield* budget.scopes).map(({ id, snapshot }) => [id, snapshot.toolCalls, snapshot.status]),
        [
          [undefined, 3, "ok"],
          ["call_1", 2, "exceeded"],
          ["0-A", 1, "exceeded"],
          ["1-B", 1, "ok"]
        ]
      )
    })
  )
})

it.effect("prices add up as people add them: ten times ten cents fit into a dollar", () =>
  Effect.gen(function* () {
    const { budget } = yield* listening({ maxCostUsd: 1 })
    const dime = { ...model, cost: { ...Usage.zeroTokens, input: 1e6 } }
    const tenCents = Usage.make({ ...Usage.zeroTokens, input: 0.1 }, dime.cost)
    for (let call = 0; call < 10; call++) {
      const { settle } = yield* budget.modelCall({ model: dime, inputTokens: 0.1 })
      yield* settle(tenCents)
    }
    assert.strictEqual((yield* Effect.flip(budget.check)).reason, "cost")
  })
)
