import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as HookLayer from "../../../../../src/layers/session/modules/hooks/HookLayer.ts"
import * as EmbeddedAgent from "../../../../../src/layers/Embedded.ts"
import { Agent } from "../../../../../src/services/Agent.ts"
import * as ScriptedModel from "../../../../support/agent/ScriptedModel.ts"

const story = "A long story about a loom, told at length and with many details."

it.effect("an embedder takes part in compactions by providing the hooks to the whole agent", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make([ScriptedModel.say(story), ScriptedModel.say("Short.")])
    const told: Array<string> = []
    const hooks = HookLayer.layer("summaries", {
      compacting: ({ preparation }) =>
        Effect.succeed({
          _tag: "Supply",
          compaction: { summary: `${preparation.history.length} messages` }
        } as const),
      compacted: ({ entry: { summary }, reason }) => Effect.sync(() => void told.push(`${reason}: ${summary}`))
    })
    const settings = { "compaction.keepRecentTokens": 5 }
    const agent = EmbeddedAgent.layer({ cwd: ".", model: ScriptedModel.model, settings }).pipe(
      Layer.provide([script.layer, hooks])
    )
    yield* Effect.gen(function* () {
      const { awaitIdle, compact, prompt } = yield* Agent
      for (const text of ["Tell me", "Another one"]) yield* Effect.zipRight(prompt({ text }), awaitIdle)
      assert.strictEqual((yield* compact({})).summary, "2 messages")
    }).pipe(Effect.provide(agent))
    assert.deepStrictEqual(told, ["manual: 2 messages"])
  })
)
