import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as EventLoop from "../../../../../src/layers/machine/engine/EventLoop.ts"
import * as Harness from "../../../../support/agent/CompactionHarness.ts"
import { compactions, withUsage } from "../../../../support/agent/CompactionHarness.ts"
import { say } from "../../../../support/agent/ScriptedModel.ts"

const story = "A long story about a loom, told at length and with many details."
const settings = {
  "compaction.keepRecentTokens": 5,
  "compaction.idleEnabled": true,
  "compaction.idleThresholdTokens": 200,
  "compaction.idleTimeoutSeconds": 60
}
const turns = [say(story), withUsage(say("Short."), 300), say("Goal"), say("Prefix"), say("s"), say("more")]

/** The attempt goes on in turns of the event loop, not of the clock. */
const untilEnded = (events: ReadonlyArray<{ readonly _tag: string }>) =>
  Effect.repeat(EventLoop.nextTurn, { until: () => events.some(({ _tag }) => _tag === "CompactionEnded") })

it.effect("a session that is left alone with a long conversation is compacted, once", () =>
  Harness.run({ turns, settings }, ({ ask, events, session }) =>
    Effect.gen(function* () {
      yield* ask("Tell me")
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(compactions(events), [], "too short")
      yield* ask("Another one")
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(compactions(events), [], "too early")
      yield* TestClock.adjust("1 second")
      yield* untilEnded(events)
      assert.deepStrictEqual(compactions(events), ["idle", "idle done"])
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(compactions(events).length, 2)
      assert.strictEqual((yield* session.messages)[0]?.role, "compactionSummary")
    })
  )
)

it.effect("a prompt ends the wait, and an attempt that is going on", () =>
  Harness.run(
    {
      turns: [
        say(story),
        withUsage(say("Short."), 300),
        withUsage(say("more"), 310),
        { events: [], after: "hang" },
        { events: [], after: "hang" },
        say("last")
      ],
      settings
    },
    ({ ask, events, script }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        yield* TestClock.adjust("59 seconds")
        yield* ask("And this")
        yield* TestClock.adjust("59 seconds")
        assert.deepStrictEqual(compactions(events), [])
        yield* TestClock.adjust("1 second")
        yield* Effect.repeat(EventLoop.nextTurn, { until: () => Effect.map(script.open, (open) => open === 2) })
        assert.deepStrictEqual(compactions(events), ["idle"])
        yield* ask("Are you there?")
        assert.deepStrictEqual(compactions(events), ["idle", "idle aborted"])
        assert.strictEqual(events.at(-1)?._tag, "SessionSettled")
      })
  )
)

for (const [why, more] of [
  ["nobody asked for it", { "compaction.idleEnabled": false }],
  ["compaction is off", { "compaction.enabled": false }]
] as const) {
  it.effect(`nothing happens where ${why}`, () =>
    Harness.run({ turns, settings: { ...settings, ...more } }, ({ ask, events }) =>
      Effect.gen(function* () {
        yield* ask("Tell me")
        yield* ask("Another one")
        yield* TestClock.adjust("1 hour")
        for (let turn = 0; turn < 20; turn++) yield* EventLoop.nextTurn
        assert.deepStrictEqual(compactions(events), [])
      })
    )
  )
}
