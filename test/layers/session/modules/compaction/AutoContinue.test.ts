/** The setting `compaction.autoContinue`: a run that was compacted at its end goes on by itself. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentEvent } from "../../../../../src/domain/conversation/AgentEvent.ts"
import { plainText } from "../../../../../src/domain/conversation/Content.ts"
import { output, summary, tool } from "../../../../support/agent/AgentHarness.ts"
import * as Harness from "../../../../support/agent/CompactionHarness.ts"
import {
  asked,
  compactions,
  withUsage,
  ending,
  story,
  supplied as hooks
} from "../../../../support/agent/CompactionHarness.ts"
import { violations } from "../../../../support/agent/EventGrammar.ts"
import { call, say } from "../../../../support/agent/ScriptedModel.ts"

const settings = { "compaction.autoContinue": true }
const ls = tool("ls", () => Effect.succeed(output("a.txt")))
const full = (text: string) => withUsage(say(text), 900)

/** What was said, with the words of the run itself in brackets. */
const said = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    if (event._tag !== "MessageEnded" || event.message.role === "toolResult") return []
    if (event.message.role === "custom") return []
    const text = plainText(event.message.content)
    return [text.startsWith("The conversation was compacted.") ? "(go on)" : text]
  })

it.effect("a run that is compacted when the model has stopped goes on, and its prompt ends once", () =>
  Harness.run(
    { settings, hooks, turns: [story, full("Half of it is done."), withUsage(say("The rest, too."), 50)] },
    ({ ask, events, script, session }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Weave")
        assert.deepStrictEqual(summary(events).slice(summary(events).indexOf("CompactionStarted") - 1), [
          "TurnEnded",
          "CompactionStarted",
          "CompactionEnded",
          "TurnStarted",
          "MessageEnded:user",
          ...ending
        ])
        assert.deepStrictEqual(violations(events), [])
        assert.deepStrictEqual(said(events).slice(2), ["Weave", "Half of it is done.", "(go on)", "The rest, too."])
        const ended = events.findLast((event) => event._tag === "RunEnded")
        assert.strictEqual(ended?._tag === "RunEnded" ? ended.messages.length : 0, 4)
        assert.include(asked((yield* script.requests).at(-1)), "is left to do, go on with it")
        assert.deepStrictEqual((yield* session.branch).map(({ type }) => type).slice(-3), [
          "compaction",
          "message",
          "message"
        ])
      })
  )
)

it.effect("a run that its tools have ended is compacted, but neither goes on nor repeats them", () =>
  Effect.gen(function* () {
    let ran = 0
    const ends = tool("ends", () => Effect.sync(() => ({ ...output(`${++ran}`), terminate: true as const })))
    const first = withUsage(call(["c1", "ls", {}]), 10)
    for (const used of [900, 1100]) {
      ran = 0
      const last = withUsage(call(["c2", "ends", {}]), used)
      const turns = [story, first, last]
      yield* Harness.run({ settings, hooks, tools: [ls, ends], turns }, ({ ask, events, script }) =>
        Effect.gen(function* () {
          yield* ask("Tell me")
          yield* ask("Weave")
          assert.strictEqual(ran, 1)
          assert.strictEqual((yield* script.requests).length, 3)
          const reason = used > 1000 ? "overflow" : "threshold"
          assert.deepStrictEqual(compactions(events), [reason, `${reason} done`])
          assert.deepStrictEqual(summary(events).slice(-4), ending.slice(-4))
          assert.deepStrictEqual(violations(events), [])
        })
      )
    }
  })
)

it.effect("an answer without tools ends it, however long the conversation is again", () =>
  Harness.run(
    { settings, hooks, turns: [story, full("Done, I think."), full("Nothing is left."), story] },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Weave")
        assert.deepStrictEqual(said(events).slice(2), ["Weave", "Done, I think.", "(go on)", "Nothing is left."])
        assert.deepStrictEqual(compactions(events), ["threshold", "threshold done", "threshold", "threshold done"])
      })
  )
)

it.effect("after work with tools it goes on again", () =>
  Harness.run(
    {
      settings,
      hooks,
      tools: [ls],
      turns: [story, full("One."), withUsage(call(["A", "ls", {}]), 60), full("Two."), withUsage(say("Three."), 50)]
    },
    ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Weave")
        assert.deepStrictEqual(said(events).slice(2), ["Weave", "One.", "(go on)", "", "Two.", "(go on)", "Three."])
      })
  )
)

it.effect("somebody who waits comes first, and then it does not go on by itself", () =>
  Harness.run(
    { settings, hooks, turns: [story, full("One."), withUsage(say("And that."), 50)] },
    ({ agent, ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* agent.prompt({ text: "Weave" })
        yield* agent.enqueue("followUp", { text: "That, too" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(said(events).slice(2), ["Weave", "One.", "That, too", "And that."])
      })
  )
)

const longer = { _tag: "Supply", compaction: { summary: "S".repeat(9000) } } as const
const ends: ReadonlyArray<readonly [why: string, options: Partial<Harness.Options>]> = [
  ["the setting is off", { settings: {} }],
  ["the summary is no shorter", { hooks: { compacting: () => Effect.succeed(longer) } }],
  ["it is cancelled", { hooks: { compacting: () => Effect.succeed({ _tag: "Cancel" } as const) } }],
  ["compaction is switched off", { settings: { ...settings, "compaction.enabled": false } }],
  ["the budget is spent", { budget: { maxInputTokens: 800 } }]
]
for (const [why, options] of ends) {
  it.effect(`the run ends where ${why}`, () =>
    Harness.run({ settings, hooks, turns: [story, full("One.")], ...options }, ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Weave")
        assert.deepStrictEqual(said(events).slice(2), ["Weave", "One."])
        assert.strictEqual(summary(events).at(-3), "PromptFinished:completed")
      })
    )
  )
}

it.effect("aborted at any point, it ends properly, and once", () =>
  Effect.gen(function* () {
    const turns = [story, full("One."), withUsage(say("Two."), 50), story]
    let early = true
    for (let at = 0; early; at++) {
      early = yield* Harness.run({ settings, hooks, turns }, (harness) =>
        Effect.gen(function* () {
          const { agent, ask, events } = harness
          yield* ask("Tell me")
          const aborted = yield* Harness.abortAt(harness, "Weave", at)
          yield* agent.awaitIdle
          assert.deepStrictEqual(violations(events), [], `at ${at}`)
          assert.strictEqual(events.filter(({ _tag }) => _tag === "PromptFinished").length, 2)
          return aborted
        })
      )
      assert.isBelow(at, 200)
    }
  })
)
