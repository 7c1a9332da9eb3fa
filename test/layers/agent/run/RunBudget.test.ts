/** What a budget does to the runs of an agent: prices, refusals, reservations, time, and what a restart finds. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, TestClock } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import type { BudgetLimits } from "../../../../src/domain/budget/BudgetLimits.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import type { Model } from "../../../../src/domain/model/Model.ts"
import * as MemoryBudget from "../../../../src/layers/budget/MemoryBudget.ts"
import { ModelCatalog } from "../../../../src/services/model/ModelCatalog.ts"
import { Session } from "../../../../src/services/session/Session.ts"
import { output, resultTexts, summary, tool } from "../../../support/agent/AgentHarness.ts"
import { withUsage } from "../../../support/agent/CompactionHarness.ts"
import { call, failure, model, say } from "../../../support/agent/ScriptedModel.ts"
import * as TestAgent from "../../../support/agent/TestAgent.ts"

const unpriced: Model = { ...model, id: "unpriced", costUnknown: true }
const catalog = ModelCatalog.of({
  all: Effect.succeed([model, unpriced]),
  available: Effect.succeed([model, unpriced]),
  isAvailable: () => Effect.succeed(true),
  find: (_, id) => Effect.succeed(Option.fromNullable([model, unpriced].find((one) => one.id === id)))
})

const noPrice = "No price known for scripted/unpriced: maxCostUsd cannot hold for it. "

const ends = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "PromptFinished" ? [[event.status, event.error?.code]] : []))

const ask = (agent: TestAgent.TestAgent["agent"], text = "go") =>
  Effect.zipRight(agent.prompt({ text }), agent.awaitIdle)

describe("a model without a known price", () => {
  it.scoped("is refused with the prompt where only the cost is limited", () =>
    Effect.gen(function* () {
      const { agent, controls, events, script, session } = yield* TestAgent.make(
        { budget: { maxCostUsd: 1 } },
        { catalog }
      )
      yield* controls.setModel("scripted", "unpriced")
      const refused = yield* Effect.flip(agent.prompt({ text: "go" }))
      assert.strictEqual(refused._tag, "NoPrice")
      assert.isTrue(refused.message.startsWith(noPrice), refused.message)
      assert.deepStrictEqual([(yield* script.requests).length, yield* session.messages], [0, []])
      assert.notInclude(summary(events), "RunStarted")
      assert.isFalse((yield* agent.state).isStreaming)
    })
  )

  it.scoped("may be called under a limit of tokens, and the host is told once", () =>
    Effect.gen(function* () {
      const budget = { maxCostUsd: 1, maxTotalTokens: 10_000 }
      const { agent, controls, events } = yield* TestAgent.make({ turns: [say("a"), say("b")], budget }, { catalog })
      yield* controls.setModel("scripted", "unpriced")
      yield* ask(agent)
      yield* ask(agent)
      const notices = events.filter(({ _tag }) => _tag === "Notice")
      assert.deepStrictEqual(notices, [
        {
          _tag: "Notice",
          level: "warning",
          source: "budget",
          message:
            "No price known for scripted/unpriced: its calls are not counted for maxCostUsd. The limits of tokens hold for them."
        }
      ])
      assert.deepStrictEqual(ends(events), [
        ["completed", undefined],
        ["completed", undefined]
      ])
    })
  )

  it.scoped("ends a run that switches to it, with a code of its own, said once", () =>
    Effect.gen(function* () {
      const change = tool("change", () =>
        Effect.as(Effect.ignore(made.controls.setModel("scripted", "unpriced")), output("ok"))
      )
      const made: TestAgent.TestAgent = yield* TestAgent.make(
        { turns: [call(["A", "change", {}]), say("never")], tools: [change], budget: { maxCostUsd: 1 } },
        { catalog }
      )
      yield* ask(made.agent)
      assert.deepStrictEqual(ends(made.events), [["error", "no_price"]])
      assert.strictEqual(JSON.stringify(made.events).split(noPrice).length, 2)
      assert.strictEqual((yield* made.script.requests).length, 1)
    })
  )

  it.scoped("does not make a summary either, not even one that was asked for", () =>
    Effect.gen(function* () {
      const budget = { maxCostUsd: 1 }
      const settings = { "compaction.keepRecentTokens": 1 }
      const { agent, controls } = yield* TestAgent.make({ turns: [say("a"), say("b")], budget, settings }, { catalog })
      yield* ask(agent)
      yield* ask(agent)
      yield* controls.setModel("scripted", "unpriced")
      const refused = yield* Effect.flip(agent.compact({}))
      assert.nestedPropertyVal(refused, "reason", "no_price")
    })
  )
})

/** What another process would read from the session. */
const afterRestart = (session: typeof Session.Service) =>
  Effect.flatMap(
    Effect.provideService(
      MemoryBudget.make({}).open(() => {}),
      Session,
      session
    ),
    ({ snapshot }) => snapshot
  )

const counted = ({ status: _status, reason: _reason, ...values }: object & { status?: unknown; reason?: unknown }) =>
  values

const ok = tool("t", () => Effect.succeed(output("ok")))
const paid = tool("paid", () =>
  Effect.succeed({ ...output("ok"), usage: Usage.make({ ...Usage.zeroTokens, input: 7 }, Usage.zeroTokens) })
)

describe("what a restart finds is what was counted", () => {
  it.scoped("after calls that were refused, unknown, cut off, skipped or aborted", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      const hangs = tool("hangs", () => Effect.zipRight(Deferred.succeed(began, undefined), Effect.never), {
        concurrency: "exclusive"
      })
      const steers = tool(
        "steers",
        () => Effect.as(Effect.ignore(made.agent.enqueue("steering", { text: "stop" })), output("ok")),
        { concurrency: "exclusive" }
      )
      const turns = [
        withUsage(call(["A", "t", {}], ["B", "nothing", {}], ["C", "paid", {}]), 10),
        withUsage(call(["D", "steers", {}], ["E", "steers", {}]), 10),
        { events: [{ _tag: "TextStarted" as const }], after: failure("overloaded", "529") },
        withUsage(call(["F", "t", {}], ["G", "hangs", {}], ["H", "hangs", {}]), 10)
      ]
      const settings = { "retry.baseDelayMs": 0, interruptMode: "immediate" as const }
      const made: TestAgent.TestAgent = yield* TestAgent.make({
        turns,
        tools: [ok, paid, steers, hangs],
        settings,
        budget: { maxToolCalls: 100 }
      })
      yield* made.agent.prompt({ text: "go" })
      yield* Fiber.join(yield* Effect.fork(Deferred.await(began)))
      yield* made.agent.abort()
      const live = yield* made.allowance.snapshot
      assert.deepStrictEqual([live.toolCalls, live.turns, live.totalTokens], [5, 3, 40])
      assert.deepStrictEqual(counted(yield* afterRestart(made.session)), counted(live))
    })
  )

  it.scoped("after a limit has refused a call", () =>
    Effect.gen(function* () {
      const turns = [call(["A", "t", {}], ["B", "t", {}], ["C", "t", {}])]
      const { agent, allowance, events, session } = yield* TestAgent.make({
        turns,
        tools: [ok],
        budget: { maxToolCalls: 2 }
      })
      yield* ask(agent)
      const refused = "Budget exceeded (tool_calls): tool call not started."
      assert.deepStrictEqual(resultTexts(events), ["ok", "ok", refused])
      assert.strictEqual((yield* allowance.snapshot).toolCalls, 2)
      assert.strictEqual((yield* afterRestart(session)).toolCalls, 2)
    })
  )

  it.scoped("of tools that say what their own calls have used, with the result or in its details", () =>
    Effect.gen(function* () {
      const usage = Usage.make(
        { ...Usage.zeroTokens, input: 7, output: 2 },
        { ...Usage.zeroTokens, input: 1, output: 5 }
      )
      const both = tool("both", () => Effect.succeed({ ...output("ok"), usage, details: { usage: Usage.zero } }))
      const inDetails = tool("inDetails", () => Effect.succeed({ ...output("ok"), details: { usage } }))
      const lies = tool("lies", () => {
        const tokens = { input: -9000, output: -9000, cacheRead: 0, cacheWrite: 0 }
        return Effect.succeed({ ...output("ok"), details: { usage: { ...usage, ...tokens, totalTokens: -18_000 } } })
      })
      const made = yield* TestAgent.make({
        turns: [call(["A", "both", {}], ["B", "inDetails", {}], ["C", "lies", {}]), say("done")],
        tools: [both, inDetails, lies],
        budget: { maxTotalTokens: 1000 }
      })
      yield* ask(made.agent)
      const live = yield* made.allowance.snapshot
      assert.deepStrictEqual([live.totalTokens, live.toolCalls], [18, 3])
      assert.deepStrictEqual(counted(yield* afterRestart(made.session)), counted(live))
    })
  )

  it.scoped("of a session without limits, also when it is first asked in the middle of a run", () =>
    Effect.gen(function* () {
      const asks = tool("asks", () => Effect.as(made.allowance.snapshot, output("ok")))
      const turns = [withUsage(say("before"), 5), withUsage(call(["A", "asks", {}]), 10), withUsage(say("b"), 20)]
      const made: TestAgent.TestAgent = yield* TestAgent.make({ turns, tools: [asks] })
      yield* ask(made.agent)
      yield* ask(made.agent)
      const live = yield* made.allowance.snapshot
      assert.deepStrictEqual([live.totalTokens, live.turns, live.toolCalls], [38, 3, 1])
      assert.deepStrictEqual(yield* afterRestart(made.session), live)
    })
  )

  for (const [name, budget] of [
    ["with limits", { maxTotalTokens: 100_000 }],
    ["without limits", {}]
  ] as const) {
    it.scoped(`after a handoff, ${name}`, () =>
      Effect.gen(function* () {
        const turns = [
          withUsage(say("A long story about a loom, told at length and with many details."), 10),
          withUsage(call(["A", "t", {}]), 990),
          withUsage(say("Goal"), 10),
          withUsage(say("Prefix"), 10),
          withUsage(say("short"), 10),
          withUsage(say("done"), 20)
        ]
        const settings = { "compaction.strategy": "handoff" as const, "compaction.keepRecentTokens": 5 }
        const { agent, allowance, events, session } = yield* TestAgent.make({ turns, tools: [ok], settings, budget })
        const { sessionId } = yield* session.info
        yield* ask(agent)
        yield* ask(agent)
        assert.notStrictEqual((yield* session.info).sessionId, sessionId, summary(events).join())
        const live = yield* allowance.snapshot
        assert.deepStrictEqual([live.inputTokens, live.turns, live.toolCalls], [1050, 3, 1])
        assert.deepStrictEqual(counted(yield* afterRestart(session)), counted(live))
      })
    )
  }

  it.scoped("of the time of runs, without the time between them", () =>
    Effect.gen(function* () {
      const slow = { ...say("slow"), before: Effect.as(Effect.sleep("2 seconds"), []) }
      const { agent, allowance, session } = yield* TestAgent.make({
        turns: [slow, slow],
        budget: { maxWallTimeMs: 60_000 }
      })
      for (let run = 0; run < 2; run++) {
        const running = yield* Effect.fork(ask(agent))
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(running)
        yield* TestClock.adjust("1 hour")
      }
      assert.strictEqual((yield* allowance.snapshot).wallTimeMs, 4000)
      assert.strictEqual((yield* afterRestart(session)).wallTimeMs, 4000)
    })
  )
})

describe("a reservation", () => {
  /** Whether exactly `left` tokens can be reserved beside what is spent. */
  const isFree = Effect.fnUntraced(function* ({ allowance }: TestAgent.TestAgent, left: number) {
    const { totalTokens } = yield* allowance.snapshot
    yield* allowance.setLimits({ maxTotalTokens: totalTokens + left })
    const { release } = yield* allowance.modelCall({ model, inputTokens: left - 1 })
    release()
  })
  const limits: BudgetLimits = { maxTotalTokens: 50_000 }
  const scripts = {
    "an answer": [withUsage(say("a"), 10)],
    "an attempt that fails": [{ events: [], after: failure("overloaded", "529") }, say("b")],
    "an error": [{ events: [], after: failure("authentication", "401") }]
  }
  it.each(Object.entries(scripts))("does not outlive %s", (_, turns) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const made = yield* TestAgent.make({ turns, budget: limits, settings: { "retry.baseDelayMs": 0 } })
          yield* ask(made.agent)
          yield* isFree(made, 100)
        })
      )
    )
  )

  it.scoped("does not outlive an abort", () =>
    Effect.gen(function* () {
      const made = yield* TestAgent.make({ turns: [{ events: [], after: "hang" }], budget: limits })
      yield* made.agent.prompt({ text: "go" })
      yield* made.agent.abort()
      yield* isFree(made, 100)
    })
  )
})

describe("wall time", () => {
  const limit = 1000
  const outOfTime = "Budget exceeded: wall_time"
  const hangs = {
    events: [{ _tag: "TextStarted" as const }, { _tag: "Delta" as const, delta: "Once" }],
    after: "hang" as const
  }
  const forever = () => Effect.never
  /** Hooks are told of the other messages when they have ended, which the run does not wait for. */
  const atFirstAnswer = () => {
    let isFirst = true
    return ({ message: { role } }: { readonly message: { readonly role: string } }) => {
      if (role !== "assistant" || !isFirst) return Effect.void
      isFirst = false
      return Effect.never
    }
  }

  const cases: ReadonlyArray<readonly [string, TestAgent.AgentOptions, TestAgent.AgentParts]> = [
    ["while a model streams", { turns: [hangs] }, {}],
    ["before a model says anything", { turns: [{ events: [], after: "hang" }] }, {}],
    ["while a tool runs", { turns: [call(["A", "hangs", {}])], tools: [tool("hangs", forever)] }, {}],
    ["while the next attempt is waited for", { turns: [{ events: [], after: failure("overloaded", "529") }] }, {}],
    ["while a hook holds up the start of the run", { turns: [say("a")] }, { hooks: { runStarting: forever } }],
    ["while a hook looks at the answer", { turns: [say("a")] }, { hooks: { messageEnding: atFirstAnswer() } }],
    [
      "while a hook is asked about a call",
      { turns: [call(["A", "t", {}])], tools: [ok] },
      { hooks: { toolCall: forever } }
    ],
    ["while a hook changes the context", { turns: [say("a")] }, { hooks: { context: forever } }]
  ]
  for (const [name, options, parts] of cases) {
    it.scoped(`ends a run ${name}`, () =>
      Effect.gen(function* () {
        const settings = { "retry.baseDelayMs": 30_000, "hooks.timeoutMs": 3_600_000 }
        const made = yield* TestAgent.make({ settings, ...options, budget: { maxWallTimeMs: limit } }, parts)
        const { agent, allowance, events, session } = made
        yield* agent.prompt({ text: "go" })
        const running = yield* Effect.fork(agent.awaitIdle)
        yield* TestClock.adjust(limit)
        yield* Fiber.join(running)
        assert.deepStrictEqual(ends(events), [["error", "budget_exceeded"]])
        const last = (yield* session.messages).findLast(({ role }) => role === "assistant")
        assert.nestedPropertyVal(last, "errorMessage", outOfTime)
        assert.nestedPropertyVal(last, "stopReason", "aborted")
        const tags = summary(events)
        assert.deepStrictEqual(
          tags.filter((tag) => tag.startsWith("Budget")),
          ["BudgetWarning", "BudgetSpent"]
        )
        assert.strictEqual(tags.filter((tag) => tag === "RunEnded").length, 1)
        assert.strictEqual(yield* made.script.open, 0)
        const refused = yield* Effect.flip(agent.prompt({ text: "again" }))
        assert.nestedPropertyVal(refused, "reason", "wall_time")
        yield* allowance.setLimits({ maxWallTimeMs: null })
        assert.isTrue(yield* allowance.mayCall)
      })
    )
  }
})
