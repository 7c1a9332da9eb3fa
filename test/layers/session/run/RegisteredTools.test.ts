import { assert, it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { zero } from "../../../../src/domain/model/Usage.ts"
import { type Tool, ToolFailure } from "../../../../src/services/Tools.ts"
import * as Harness from "../../../support/agent/AgentHarness.ts"
import { call, say } from "../../../support/agent/ScriptedModel.ts"

const { output, resultTexts, summary, tool } = Harness

const says = (name: string, more: Partial<Tool> = {}) => tool(name, () => Effect.succeed(output(name)), more)
const asked = (
  requests: ReadonlyArray<{ readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }> }>
) => requests.map(({ tools }) => tools.map(({ description }) => description).join())

it.scoped("what is registered or chosen during a run counts from its next model call on", () =>
  Harness.run(
    {
      turns: [call(["c1", "change", {}]), call(["c2", "bash", {}], ["c3", "ls", {}]), say("done")],
      tools: [says("bash"), says("ls")]
    },
    ({ agent, events, instructions, script, toolSet }) =>
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const mine = says("bash", {
          definition: { name: "bash", description: "my bash", parameters: { type: "object" } },
          prompt: { snippet: "Runs things" },
          run: () => Effect.succeed(output("from mine"))
        })
        const change = Effect.zipRight(toolSet.register(mine), toolSet.setActive(["bash", "change"]))
        yield* toolSet.register(
          tool("change", () => change.pipe(Effect.orDie, Effect.as(output("changed")), Scope.extend(scope)))
        )
        const before = yield* instructions.current
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        const requests = yield* script.requests
        assert.deepStrictEqual(asked(requests), ["bash,ls,change", "my bash,change", "my bash,change"])
        assert.deepStrictEqual(resultTexts(events), ["changed", "from mine", "Tool ls not found"])
        const prompts = requests.map(({ systemPrompt }) => systemPrompt)
        assert.strictEqual(prompts[0], before)
        assert.include(prompts[1], "- bash: Runs things")
        assert.strictEqual(prompts[2], prompts[1])
        assert.strictEqual(yield* instructions.current, prompts[2])
      })
  )
)

const ends = says("ends", { run: () => Effect.succeed({ ...output("last"), terminate: true }) })
const lastWords = ["TurnEnded", "RunEnded", "PromptFinished:completed", "RunSettled", "SessionSettled"]

it.scoped("a run ends after calls that all ask for it; their results are stored without the mark", () =>
  Harness.run({ turns: [call(["c1", "ends", {}], ["c2", "ends", {}])], tools: [ends] }, ({ agent, events, session }) =>
    Effect.gen(function* () {
      yield* agent.prompt({ text: "go" })
      yield* agent.awaitIdle
      assert.deepStrictEqual(summary(events).slice(-5), lastWords)
      const results = (yield* session.messages).filter(({ role }) => role === "toolResult")
      assert.deepStrictEqual(
        results.map((message) => Object.keys(message)),
        Array.from({ length: 2 }, () => ["role", "toolCallId", "toolName", "content", "isError", "timestamp"])
      )
      assert.isFalse(events.some((event) => event._tag === "ToolEnded" && "terminate" in event.result))
    })
  )
)

it.scoped("a failure may ask for the end, too", () =>
  Effect.gen(function* () {
    const blocked = tool("blocked", () => new ToolFailure({ message: "no", terminate: true }))
    yield* Harness.run({ turns: [call(["c1", "blocked", {}])], tools: [blocked] }, ({ agent, events }) =>
      Effect.gen(function* () {
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual(resultTexts(events), ["no"])
        assert.deepStrictEqual(summary(events).slice(-5), lastWords)
      })
    )
  })
)

it.scoped("one call that does not ask for the end, and a queued message, continue the run", () =>
  Harness.run(
    {
      turns: [call(["c1", "ends", {}], ["c2", "other", {}]), call(["c3", "ends", {}]), say("followed")],
      tools: [ends]
    },
    ({ agent, events, script, toolSet }) =>
      Effect.gen(function* () {
        const queues = Effect.orDie(agent.enqueue("followUp", { text: "and then" }))
        yield* toolSet.register(tool("other", () => Effect.as(queues, output("queued"))))
        yield* agent.prompt({ text: "go" })
        yield* agent.awaitIdle
        assert.deepStrictEqual((yield* script.requests).length, 3)
        assert.deepStrictEqual(summary(events).slice(-6), ["MessageEnded:assistant/stop", ...lastWords])
      })
  )
)

it.scoped("what a tool spends counts for the budget, and is not stored", () =>
  Effect.gen(function* () {
    const usage = { ...zero, input: 90, totalTokens: 90 }
    const spends = tool("spends", () => Effect.succeed({ ...output("spent"), usage }))
    yield* Harness.run(
      { turns: [call(["c1", "spends", {}])], tools: [spends], budget: { maxInputTokens: 50 } },
      ({ agent, events }) =>
        Effect.gen(function* () {
          yield* agent.prompt({ text: "go" })
          yield* agent.awaitIdle
          assert.deepStrictEqual(resultTexts(events), ["spent"])
          assert.isFalse(events.some((event) => event._tag === "ToolEnded" && "usage" in event.result))
          const refused = yield* Effect.flip(agent.prompt({ text: "more" }))
          assert.strictEqual(refused._tag, "BudgetExceeded")
        })
    )
  })
)
