import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as EventLoop from "../../../../src/layers/platform/EventLoop.ts"
import type { HookSet } from "../../../../src/layers/hooks/HookLayer.ts"
import type { CompactionPlan } from "../../../../src/services/Compaction.ts"
import { output, tool } from "../../../support/agent/AgentHarness.ts"
import * as Harness from "../../../support/agent/CompactionHarness.ts"
import { asked, compactions, withUsage } from "../../../support/agent/CompactionHarness.ts"
import { call, failure, say } from "../../../support/agent/ScriptedModel.ts"

const story = "A long story about a loom, told at length and with many details."
const hang = { events: [], after: "hang" } as const
const overflow = { events: [], after: failure("context_overflow", "too long") }
const ls = tool("ls", () => Effect.succeed(output("a.txt")))

it.effect("what summaries cost is withUsage, and one entry for each call comes before the compaction", () =>
  Harness.run(
    { turns: [say(story), say("Short."), withUsage(say("Goal"), 30, 3), withUsage(say("I did."), 20, 2)] },
    ({ agent, ask, session, synced }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        const { usage, ...result } = yield* agent.compact({})
        assert.deepStrictEqual(result, {
          summary: "Goal",
          shortSummary: "I did.",
          firstKeptEntryId: "entry-3",
          tokensBefore: 23,
          details: { readFiles: [], modifiedFiles: [] },
          estimatedTokensAfter: 6
        })
        assert.deepInclude(usage, { input: 50, output: 5, totalTokens: 55 })
        const entries = yield* session.entries
        assert.strictEqual(synced.at(-1), entries.length)
        assert.deepStrictEqual(
          entries.map((entry) => (entry.type === "usage" ? `usage ${entry.usage.totalTokens}` : entry.type)),
          ["message", "message", "message", "message", "usage 33", "usage 22", "compaction"]
        )
      })
  )
)

it.effect("what an interrupted summary has used counts, in the budget and in the session", () =>
  Harness.run(
    {
      turns: [say(story), say("Short."), { ...withUsage({ events: [] }, 500), after: "hang" }],
      budget: { maxInputTokens: 400 }
    },
    ({ agent, ask, script, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        const compacting = yield* Effect.fork(agent.compact({}))
        yield* Effect.repeat(Effect.yieldNow(), { until: () => Effect.map(script.open, (open) => open === 1) })
        // The stream is read once in each turn of the event loop.
        yield* Effect.repeatN(EventLoop.nextTurn, 3)
        yield* Fiber.interrupt(compacting)
        assert.strictEqual((yield* session.entries).at(-1)?.type, "usage")
        assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "Go on" })))._tag, "BudgetExceeded")
      })
  )
)

it.effect("a summary that is no shorter than what it replaces ends with a typed error, and nothing changes", () =>
  Harness.run(
    { turns: [say(story), say("Short."), withUsage(say(story.repeat(5)), 7), say("fits")] },
    ({ agent, ask, events, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        const before = yield* session.messages
        const failed = yield* Effect.flip(agent.compact({}))
        assert.deepInclude(failed, { _tag: "CompactionFailed", reason: "no_progress" })
        assert.match(failed.message, /^The summary has about 80 tokens and what it would replace only \d+;/)
        assert.deepStrictEqual(yield* session.messages, before)
        assert.strictEqual((yield* session.entries).at(-1)?.type, "usage")
        assert.strictEqual(compactions(events).length, 2)
      })
  )
)

it.effect("an automatic attempt that fails is not repeated in the same run, but in the next", () =>
  Harness.run(
    {
      turns: [
        say("hello"),
        withUsage(call(["A", "ls", {}]), 900),
        { events: [], after: failure("refusal", "no") },
        { events: [], after: failure("refusal", "no") },
        withUsage(call(["B", "ls", {}]), 910),
        withUsage(say("done"), 920),
        { events: [], after: failure("refusal", "still no") },
        { events: [], after: failure("refusal", "still no") },
        withUsage(say("done again"), 930)
      ],
      tools: [ls]
    },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("hi")
        yield* ask("look around")
        assert.deepStrictEqual(compactions(events), [
          "threshold",
          "threshold Auto-compaction failed: Summarization failed: no"
        ])
        yield* ask("again")
        assert.strictEqual(compactions(events).length, 4)
        assert.strictEqual(events.filter(({ _tag }) => _tag === "RunEnded").length, 3)
      })
  )
)

it.effect("nothing to do is told as skipped, once in a run", () =>
  Harness.run(
    { turns: [withUsage(say("only answer"), 999, 0)], settings: { "compaction.keepRecentTokens": 1_000_000 } },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("x".repeat(4000))
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold skipped"])
      })
  )
)

it.effect("the next compaction updates the summary and takes in what the first had kept", () =>
  Harness.run(
    {
      turns: [say(story), say("Kept one."), say("First"), say("s"), say(story), say("Short."), say("Second"), say("s")]
    },
    ({ agent, ask, script, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        yield* agent.compact({ customInstructions: "  the loom " })
        yield* ask("Even more")
        yield* ask("And another")
        yield* agent.compact({})
        const requests = yield* script.requests
        const first = asked(requests[2])
        assert.include(first, `<conversation>\\n[User]: Tell me\\n\\n[Assistant]: ${story}\\n</conversation>`)
        assert.notInclude(first, "<previous-summary>")
        assert.match(first, /pay attention to this in particular: the loom"/)
        const second = asked(requests[6])
        assert.include(second, "<previous-summary>\\nFirst\\n</previous-summary>")
        assert.include(second, "[User]: Another one\\n\\n[Assistant]: Kept one.\\n\\n[User]: Even more")
        assert.notInclude(second, "Tell me")
        assert.strictEqual(requests[2]?.tools.length, 0)
        assert.deepStrictEqual(
          (yield* session.messages).map(({ role }) => role),
          ["compactionSummary", "user", "assistant"]
        )
      })
  )
)

it.effect("history and the beginning of a split turn are summarised side by side, within their limits", () =>
  Effect.gen(function* () {
    const both = yield* Deferred.make<void>()
    const first = { ...say("History"), after: Deferred.await(both) }
    const second = { ...say("Prefix"), after: Effect.asVoid(Deferred.succeed(both, undefined)) }
    const turns = [say(story), say(`${story} And more.`), first, second, say("short")]
    const settings = { "compaction.reserveTokens": 100 }
    yield* Harness.run({ turns, settings }, ({ agent, ask, script }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Once more")
        const { summary } = yield* agent.compact({ customInstructions: "looms" })
        assert.strictEqual(summary, "History\n\n---\n\n**Turn Context (split turn):**\n\nPrefix")
        const requests = (yield* script.requests).slice(2)
        assert.deepStrictEqual(
          requests.map(({ model }) => model.maxTokens),
          [80, 50, 20]
        )
        assert.include(asked(requests[1]), "## Original Request")
        assert.notInclude(asked(requests[1]), "looms")
      })
    )
  })
)

it.effect("a split turn right after a compaction keeps the previous summary as it is", () =>
  Harness.run(
    { turns: [say(story), overflow, say("First"), say("s"), say(story), say("Prefix"), say("s")] },
    ({ agent, ask, script }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask(story.repeat(2))
        const { summary } = yield* agent.compact({})
        assert.strictEqual(summary, "First\n\n---\n\n**Turn Context (split turn):**\n\nPrefix")
        assert.notInclude(asked((yield* script.requests)[5]), "<previous-summary>")
      })
  )
)

it.effect("hooks see the plan and may cancel, supply the summary, or be told afterwards", () =>
  Effect.gen(function* () {
    const plans: Array<CompactionPlan> = []
    const told: Array<string> = []
    const hooks: HookSet = {
      compacting: (plan) =>
        Effect.sync(() => {
          plans.push(plan)
          if (plans.length === 1) return { _tag: "Cancel" } as const
          const compaction = { summary: "Mine", details: { by: "hook" }, preserveData: { kept: 1 } }
          return { _tag: "Supply", compaction } as const
        }),
      compacted: ({ entry: { fromExtension, summary }, reason }) =>
        Effect.sync(() => void told.push(`${reason} ${summary} ${fromExtension}`))
    }
    yield* Harness.run({ turns: [say(story), say("Short.")], hooks }, ({ agent, ask, events, script }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        assert.deepInclude(yield* Effect.flip(agent.compact({})), { reason: "cancelled" })
        const result = yield* agent.compact({ customInstructions: "x" })
        assert.deepInclude(result, { summary: "Mine", details: { by: "hook" }, preserveData: { kept: 1 } })
        assert.deepInclude(plans[1], { reason: "manual", tokensBefore: 23, customInstructions: "x" })
        assert.strictEqual(plans[1]?.preparation.history.length, 2)
        assert.deepStrictEqual(told, ["manual Mine true"])
        assert.deepStrictEqual(compactions(events), ["manual", "manual aborted", "manual", "manual done"])
        assert.strictEqual((yield* script.requests).length, 2)
      })
    )
  })
)

it.effect("prompts are refused while a compaction was asked for, and the caller's interrupt ends it", () =>
  Harness.run({ turns: [say(story), say("Short."), hang] }, ({ agent, ask, events, script }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* ask("Another one")
      const compacting = yield* Effect.fork(agent.compact({}))
      yield* Effect.repeat(Effect.yieldNow(), { until: () => Effect.map(script.open, (open) => open === 1) })
      assert.strictEqual((yield* Effect.flip(agent.prompt({ text: "x" })))._tag, "AgentBusy")
      assert.deepInclude(yield* agent.state, { isCompacting: true, isStreaming: false })
      yield* Fiber.interrupt(compacting)
      assert.deepInclude(yield* agent.state, { isCompacting: false, isStreaming: false })
      assert.deepStrictEqual(compactions(events), ["manual", "manual aborted"])
      assert.strictEqual(yield* script.open, 0)
    })
  )
)

it.effect("cancelled at whatever point, it is all of it or nothing, and the next one works", () =>
  Effect.gen(function* () {
    const outcomes = new Set<string>()
    for (let wait = 0; wait < 40; wait++) {
      const summaries = Array.from({ length: 12 }, () => withUsage(say("Goal"), 1))
      yield* Harness.run(
        { turns: [say(story), say("Short."), ...summaries] },
        ({ agent, ask, compactions: service, events, script, session }) =>
          Effect.gen(function* () {
            yield* ask("Tell me")
            yield* ask("Another one")
            const compacting = yield* Effect.fork(Effect.either(agent.compact({})))
            // Each step is a turn of the scheduler or of the event loop, whichever the attempt waits for.
            for (let step = 0; step < wait; step++) yield* step % 2 === 0 ? Effect.yieldNow() : EventLoop.nextTurn
            yield* service.cancel
            const outcome = yield* Fiber.join(compacting)
            outcomes.add(outcome._tag)
            const words = compactions(events)
            assert.strictEqual(words.filter((word) => word === "manual").length, words.length / 2)
            assert.strictEqual(yield* script.open, 0)
            const stored = (yield* session.entries).filter(({ type }) => type === "compaction").length
            assert.strictEqual(stored, outcome._tag === "Right" ? 1 : 0, `after ${wait} steps`)
            assert.strictEqual((yield* session.messages).length, outcome._tag === "Right" ? 3 : 4)
            if (outcome._tag === "Left") yield* agent.compact({})
          })
      )
    }
    assert.deepStrictEqual([...outcomes].toSorted(), ["Left", "Right"])
  })
)
