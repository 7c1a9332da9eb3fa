import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { output, tool } from "../../../support/agent/AgentHarness.ts"
import * as Harness from "../../../support/agent/CompactionHarness.ts"
import { supplied, withUsage } from "../../../support/agent/CompactionHarness.ts"
import * as MemoryTracer from "../../../support/agent/MemoryTracer.ts"
import { call, say } from "../../../support/agent/ScriptedModel.ts"

const turns = [
  withUsage(call(["A", "ls", {}], ["B", "ls", {}]), 10),
  // It did not fit: the conversation is compacted, and the model is asked again.
  withUsage(say("half"), 1001),
  { events: [], after: "hang" as const }
]
const tools = [tool("ls", () => Effect.succeed(output("a.txt")))]

const leaf = (span: string): MemoryTracer.SpanTree => ({ span, inside: [] })
const asked = leaf("Agent.modelCall model=scripted/test-model")

it.effect(
  "a prompt, its run, the turns, calls and compactions of it and the abort are spans, one inside the other",
  () =>
    Effect.gen(function* () {
      const spans = MemoryTracer.make()
      yield* Harness.run({ turns, tools, hooks: supplied }, ({ agent, script }) =>
        Effect.gen(function* () {
          yield* agent.prompt({ text: "Look", requestId: "r" })
          const hangs = Effect.zipWith(script.requests, script.open, (requests, open) => requests.length + open === 4)
          yield* Effect.repeat(Effect.yieldNow(), { until: () => hangs })
          assert.deepStrictEqual(spans.open(), ["Agent.run", "Agent.turn", "Agent.modelCall"])
          yield* agent.abort()
          yield* agent.abort({ queue: "keep" })
        })
      ).pipe(Effect.withTracer(spans.tracer))
      assert.deepStrictEqual(spans.tree(), [
        {
          span: "Agent.prompt requestId=r",
          inside: [
            {
              span: "Agent.run runId=run_1 requestId=r",
              inside: [
                {
                  span: "Agent.turn turnIndex=0",
                  inside: [
                    asked,
                    leaf("Agent.toolCall toolName=ls toolCallId=A"),
                    leaf("Agent.toolCall toolName=ls toolCallId=B")
                  ]
                },
                { span: "Agent.turn turnIndex=1", inside: [asked] },
                leaf("Agent.compaction reason=overflow"),
                { span: "Agent.turn turnIndex=2", inside: [asked] }
              ]
            }
          ]
        },
        leaf("Agent.abort"),
        leaf("Agent.interrupt")
      ])
      assert.deepStrictEqual(spans.open(), [])
    })
)

it.effect("without a tracer there is no span", () =>
  Effect.gen(function* () {
    let seen: string | undefined
    const looks = tool("ls", () =>
      Effect.map(Effect.option(Effect.currentSpan), (span) => {
        seen = span._tag
        return output("")
      })
    )
    yield* Harness.run({ turns: [call(["A", "ls", {}]), say("ok")], tools: [looks] }, ({ ask }) => ask("Look"))
    assert.strictEqual(seen, "None")
  })
)
