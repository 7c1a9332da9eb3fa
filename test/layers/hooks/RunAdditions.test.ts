/** Messages that hooks add to a run when it starts (`before_agent_start` of extensions). */
import { assert, it } from "@effect/vitest"
import { Session } from "../../../src/services/session/Session.ts"
import { Effect, Layer } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import type { CustomInput } from "../../../src/domain/conversation/Message.ts"
import * as HookLayer from "../../../src/layers/hooks/HookLayer.ts"
import * as EmbeddedAgent from "../../../src/layers/EmbeddedAgent.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { violations } from "../../support/agent/EventGrammar.ts"
import * as ScriptedModel from "../../support/agent/ScriptedModel.ts"

const note = (content: string, more: Partial<CustomInput> = {}): CustomInput => ({
  customType: "note",
  content,
  display: false,
  ...more
})

it.effect("they are stored behind the prompt, before what waited for it; one that cannot be stored is reported", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make([ScriptedModel.say("ok"), ScriptedModel.say("ok")])
    const asked: Array<string> = []
    const first = HookLayer.layer("first", {
      runStarting: ({ text }) => {
        asked.push(text)
        return { message: note("added", { details: { n: 1 } }) }
      }
    })
    const second = HookLayer.layer("second", { runStarting: () => ({ message: note("bad", { details: 1n }) }) })
    const agent = EmbeddedAgent.layer({ cwd: ".", model: ScriptedModel.model }).pipe(
      Layer.provide(script.layer),
      Layer.provide(Layer.provideMerge(second, first))
    )
    yield* Effect.gen(function* () {
      const { awaitIdle, events: published, prompt, send } = yield* Agent
      const { messages } = yield* Session
      const events: Array<AgentEvent> = []
      yield* published.attach({ offer: (event) => void events.push(event), ready: Effect.void })
      yield* send(note("waited"), { deliverAs: "nextTurn" })
      yield* prompt({ text: "go" })
      yield* awaitIdle
      const said = (yield* messages).map((message) =>
        message.role === "custom" ? `custom ${String(message.content)}` : message.role
      )
      assert.deepStrictEqual(said, ["user", "custom added", "custom waited", "assistant"])
      const ended = events.find(({ _tag }) => _tag === "RunEnded")
      assert.deepStrictEqual(ended?._tag === "RunEnded" ? ended.messages : [], yield* messages)
      const problems = events.flatMap((event) => (event._tag === "ExtensionFailed" ? [event.error] : []))
      assert.deepStrictEqual(problems, ["The message cannot be stored: holds a BigInt"])
      yield* send(note("by itself"), { triggerTurn: true })
      yield* awaitIdle
      assert.deepStrictEqual(asked, ["go", "by itself"])
      assert.deepStrictEqual(violations(events), [])
    }).pipe(Effect.provide(agent), Effect.scoped)
  })
)
