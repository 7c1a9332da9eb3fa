import { assert, it } from "@effect/vitest"
import { Compactions } from "../../../../src/services/Compaction.ts"
import { Effect, Fiber } from "effect"
import type { AgentEvent } from "../../../../src/domain/conversation/AgentEvent.ts"
import * as Usage from "../../../../src/domain/model/Usage.ts"
import { output, summary, tool } from "../../../support/agent/AgentHarness.ts"
import * as Harness from "../../../support/agent/CompactionHarness.ts"
import { asked, compactions, withUsage } from "../../../support/agent/CompactionHarness.ts"
import { call, failure, model, say, type ScriptedTurn } from "../../../support/agent/ScriptedModel.ts"

const story = "A long story about a loom, told at length and with many details."
const hang = { events: [], after: "hang" } as const
const ls = tool("ls", () => Effect.succeed(output("a.txt")))
const overflow: ScriptedTurn = { events: [], after: failure("context_overflow", "prompt is too long") }
const cutShort: ScriptedTurn = { events: [{ _tag: "Finished", stopReason: "length" }] }

it.effect("an overflow is recovered from: the failed answer leaves the conversation and stays in the session", () =>
  Harness.run(
    { turns: [say(story), overflow, say("Goal"), say("s"), say("It fits")] },
    ({ ask, events, script, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one, please")
        assert.deepStrictEqual(compactions(events), ["overflow", "overflow done, again"])
        assert.deepStrictEqual(
          (yield* session.messages).map(({ role }) => role),
          ["compactionSummary", "user", "assistant"]
        )
        const failed = (yield* session.entries).filter(
          (entry) =>
            entry.type === "message" && entry.message.role === "assistant" && entry.message.stopReason === "error"
        )
        assert.strictEqual(failed.length, 1)
        assert.notInclude(yield* session.branch, failed[0])
        assert.include(asked((yield* script.requests).at(-1)), "<summary>\\nGoal\\n</summary>")
        assert.include(summary(events).join(), "PromptFinished:completed")
      })
  )
)

it.effect("what was set while the answer failed stays on the branch", () =>
  Effect.gen(function* () {
    const turns: ReadonlyArray<ScriptedTurn> = [say(story), overflow, say("Goal"), say("s"), say("ok")]
    let changed: Effect.Effect<unknown> = Effect.void
    const hooks = { compacting: () => Effect.as(changed, { _tag: "Proceed" } as const) }
    yield* Harness.run({ turns, hooks }, ({ ask, session }) =>
      Effect.gen(function* () {
        const usage = { type: "usage", source: "title", provider: "p", model: "m", usage: Usage.zero } as const
        changed = Effect.zipRight(session.append(usage), session.append({ type: "session_info", name: "Looms" }))
        yield* ask("Tell me")
        yield* ask("Another one, please")
        assert.deepStrictEqual(
          (yield* session.branch).map(({ type }) => type),
          ["message", "message", "message", "session_info", "compaction", "message"]
        )
      })
    )
  })
)

const afterOverflow: ReadonlyArray<
  readonly [why: string, options: Harness.Options, prompts: ReadonlyArray<string>, outcome: ReadonlyArray<string>]
> = [
  [
    "nothing can be compacted",
    { turns: [overflow] },
    ["hi"],
    ["overflow", "overflow Context overflow recovery failed: Nothing to compact (session too small)"]
  ],
  [
    "the summary fails",
    { turns: [say(story), overflow, { events: [], after: failure("quota", "out of credits") }] },
    ["Tell me", "Another one, please"],
    ["overflow", "overflow Context overflow recovery failed: Summarization failed: out of credits"]
  ],
  [
    "compaction is off",
    { turns: [say(story), overflow], settings: { "compaction.enabled": false } },
    ["Tell me", "Another one, please"],
    []
  ],
  [
    "so is its strategy",
    { turns: [say(story), overflow], settings: { "compaction.strategy": "off" } },
    ["Tell me", "Another one, please"],
    []
  ],
  [
    "it was another model that overflowed",
    {
      turns: [say(story), { events: [], after: Object.assign(failure("context_overflow", "too long"), { model: "x" }) }]
    },
    ["Tell me", "Another one, please"],
    []
  ]
]
for (const [why, options, prompts, outcome] of afterOverflow) {
  it.effect(`an overflow stands where ${why}`, () =>
    Harness.run(options, ({ ask, events }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(prompts, ask)
        assert.deepStrictEqual(compactions(events), outcome)
        assert.strictEqual(summary(events).at(-3), "PromptFinished:error")
      })
    )
  )
}

it.effect("a budget that is spent pays for no compaction but one that was asked for", () =>
  Harness.run(
    {
      turns: [say(story), withUsage(say("Short."), 900), say("Goal"), say("Prefix"), say("s")],
      budget: { maxInputTokens: 800 }
    },
    ({ agent, ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        assert.deepStrictEqual(compactions(events), [])
        assert.strictEqual((yield* agent.compact({})).shortSummary, "s")
        assert.deepStrictEqual(compactions(events), ["manual", "manual done"])
      })
  )
)

const budgetEvents = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap(({ _tag }) => (_tag === "BudgetWarning" || _tag === "BudgetSpent" ? [_tag] : []))

/** A turn takes some 20 tokens, a summary with its instructions more than are left. */
const scarce = { budget: { maxTotalTokens: 120, warnAtRatio: 1 }, settings: { "compaction.thresholdTokens": 10 } }

it.effect("a compaction for which the budget has no room is tried once in a run, and the run goes on", () =>
  Harness.run(
    {
      ...scarce,
      turns: [
        withUsage(call(["A", "ls", {}]), 12),
        withUsage(call(["B", "ls", {}]), 12),
        withUsage(say("done"), 12),
        withUsage(say("again"), 12)
      ],
      tools: [ls]
    },
    ({ allowance, ask, events, script }) =>
      Effect.gen(function* () {
        yield* ask("List")
        const refused = ["threshold", "threshold Auto-compaction failed: Budget exceeded (total_tokens)"]
        assert.deepStrictEqual(compactions(events), refused)
        yield* ask("Another one")
        assert.deepStrictEqual(compactions(events), [...refused, ...refused])
        assert.strictEqual((yield* script.requests).length, 4)
        assert.deepStrictEqual(budgetEvents(events), [])
        assert.strictEqual(summary(events).filter((word) => word === "PromptFinished:completed").length, 2)
        // What was refused is not held back either.
        const { totalTokens } = yield* allowance.snapshot
        yield* allowance.modelCall({ model, inputTokens: 120 - totalTokens - 1 })
      })
  )
)

it.effect("so is one that would follow an overflow, and the failure stands", () =>
  Harness.run({ budget: scarce.budget, turns: [say(story), overflow] }, ({ ask, events }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* ask("Another one")
      assert.deepStrictEqual(compactions(events), [
        "overflow",
        "overflow Context overflow recovery failed: Budget exceeded (total_tokens)"
      ])
      assert.strictEqual(summary(events).at(-3), "PromptFinished:error")
      assert.deepStrictEqual(budgetEvents(events), [])
    })
  )
)

it.effect("a summary reserves what it takes, and an abort sets it free", () =>
  Harness.run(
    {
      turns: [say(story), say("Short."), { events: [], after: "hang" }],
      budget: { maxTotalTokens: 2500 },
      settings: { "compaction.enabled": false }
    },
    ({ agent, allowance, ask, compactions: service, script }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        const compacting = yield* Effect.fork(agent.compact({}))
        while ((yield* script.requests).length < 3) yield* Effect.promise(() => new Promise(setImmediate))
        const { totalTokens } = yield* allowance.snapshot
        const waiting = yield* Effect.fork(allowance.modelCall({ model, inputTokens: 2500 - totalTokens - 1 }))
        yield* Effect.yieldNow()
        assert.isNull(waiting.unsafePoll())
        yield* service.cancel
        yield* Fiber.await(compacting)
        yield* Fiber.join(waiting)
      })
  )
)

it.effect("a prompt that was cut silently is asked again", () =>
  Harness.run(
    {
      turns: [say(story), withUsage(say("from half of it"), 1001), say("Goal"), say("s"), withUsage(say("whole"), 20)]
    },
    ({ ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one, please")
        assert.deepStrictEqual(compactions(events), ["overflow", "overflow done, again"])
        assert.notInclude(JSON.stringify(yield* session.messages), "from half of it")
      })
  )
)

it.effect("so is one that left no room for an answer; a second time the answer stands", () =>
  Harness.run(
    { turns: [say(story), withUsage(cutShort, 995, 0), say("Goal"), say("s"), withUsage(cutShort, 995, 0)] },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one, please")
        const [start, done, refused] = compactions(events)
        assert.deepStrictEqual([start, done], ["overflow", "overflow done, again"])
        assert.match(refused ?? "", /^overflow Context overflow recovery failed after one compact-and-retry attempt\. /)
        assert.strictEqual(summary(events).filter((word) => word === "PromptFinished:completed").length, 2)
      })
  )
)

it.effect("tools that have run do not run again", () => {
  let ran = 0
  const counts = tool("ls", () => Effect.sync(() => output(`${++ran}`)))
  const turns = [say(story), withUsage(call(["A", "ls", {}]), 1001), say("Goal"), say("Prefix"), say("s"), say("done")]
  return Harness.run({ turns, tools: [counts] }, ({ ask, events }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* ask("Look")
      assert.deepStrictEqual(compactions(events), ["overflow", "overflow done"])
      assert.strictEqual(ran, 1)
    })
  )
})

const waiting = [say(story), withUsage(call(["A", "ls", {}]), 900), hang, hang, withUsage(say("done"), 10)]

const untilOpen = (script: { readonly open: Effect.Effect<number> }, count: number) =>
  Effect.repeat(Effect.yieldNow(), { until: () => Effect.map(script.open, (open) => open === count) })

it.effect("abort ends the compaction and then the run", () =>
  Harness.run({ turns: waiting, tools: [ls] }, ({ agent, ask, events, script }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* agent.prompt({ text: "Look" })
      yield* untilOpen(script, 2)
      assert.deepInclude(yield* agent.state, { isCompacting: true, isStreaming: true })
      yield* agent.abort()
      assert.deepStrictEqual(compactions(events), ["threshold", "threshold aborted"])
      assert.deepStrictEqual(
        summary(events).slice(-9),
        [
          "TurnEnded",
          "CompactionStarted",
          "CompactionEnded",
          "TurnStarted",
          "MessageEnded:assistant/aborted",
          "TurnEnded",
          "RunEnded",
          "PromptFinished:aborted",
          "RunSettled",
          "SessionSettled"
        ].slice(1)
      )
      assert.strictEqual(yield* script.open, 0)
    })
  )
)

it.effect("abortCompactions ends the compaction and the run goes on", () =>
  Harness.run({ turns: waiting, tools: [ls] }, ({ agent, ask, compactions: service, events, script }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* agent.prompt({ text: "Look" })
      yield* untilOpen(script, 2)
      yield* service.cancel
      assert.deepStrictEqual(compactions(events), ["threshold", "threshold aborted"])
      yield* agent.awaitIdle
      assert.strictEqual(summary(events).at(-3), "PromptFinished:completed")
      assert.isFalse((yield* agent.state).isCompacting)
    })
  )
)

it.effect("switched on during a run, compaction counts for that run", () =>
  Harness.run(
    {
      turns: [say(story), withUsage(call(["A", "ls", {}]), 900), say("Goal"), say("Prefix"), say("s"), say("done")],
      tools: [tool("ls", () => Effect.succeed(output("a")))],
      settings: { "compaction.enabled": false }
    },
    ({ agent, ask, events, service }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        assert.isFalse((yield* agent.state).autoCompactionEnabled)
        yield* agent.prompt({ text: "Look" })
        yield* service(Compactions).setEnabled(true)
        yield* agent.awaitIdle
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold done"])
      })
  )
)

const look = call(["A", "ls", {}])

it.effect("an attempt that finds too little to compact is made again after the next turn", () =>
  Harness.run(
    {
      turns: [withUsage(look, 900), withUsage(look, 905), say("Prefix"), say("s"), withUsage(say("done"), 10)],
      tools: [ls]
    },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Look closely. ".repeat(250))
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold skipped", "threshold", "threshold done"])
      })
  )
)

it.effect("an attempt that fails is not made again in the same run", () =>
  Harness.run(
    {
      turns: [
        say(story),
        withUsage(look, 900),
        { events: [], after: failure("quota", "out of credits") },
        withUsage(look, 905),
        withUsage(say("done"), 910)
      ],
      tools: [ls]
    },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Look")
        const failed = "threshold Auto-compaction failed: Summarization failed: out of credits"
        assert.deepStrictEqual(compactions(events), ["threshold", failed])
      })
  )
)
