/** What the steps of several modules amount to, as one. */
import { assert, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { AssistantMessage } from "../../../../src/domain/conversation/Message.ts"
import { zero } from "../../../../src/domain/model/Usage.ts"
import * as RunSteps from "../../../../src/layers/session/run/RunSteps.ts"
import { BudgetExceeded } from "../../../../src/services/session/modules/Budget.ts"
import type { RunStep } from "../../../../src/services/session/RunStep.ts"
import { model } from "../../../support/agent/ScriptedModel.ts"

const stepsOf = (...steps: ReadonlyArray<RunStep>) =>
  RunSteps.make(
    steps.map((step, at) => ({ name: String(at), run: () => step })),
    { runId: "r", turnIndex: () => 0, messages: () => [] }
  )

const message: AssistantMessage = {
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  usage: zero,
  stopReason: "stop",
  timestamp: 0
}
const note = (content: string) => ({ customType: "note", content, display: false })

it.effect(
  "a run begins with the messages of all steps, and each is asked with the system prompt of the one before",
  () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { beginning } = stepsOf(
        { beginning: () => Effect.succeed({ messages: [note("one")], systemPrompt: "first" }) },
        {},
        { beginning: () => Effect.succeed(undefined) },
        {
          beginning: ({ systemPrompt, text }) =>
            Effect.map(systemPrompt, (prompt) => {
              seen.push(text, prompt)
              return { messages: [note("two")] }
            })
        }
      )
      const added = yield* beginning({ text: "go", images: [], systemPrompt: Effect.succeed("own") })
      assert.deepStrictEqual(added, { messages: [note("one"), note("two")], systemPrompt: "first" })
      assert.deepStrictEqual(seen, ["go", "first"])
      assert.deepStrictEqual(yield* stepsOf().beginning({ text: "", images: [], systemPrompt: Effect.never }), {})
    })
)

it.effect("an answer goes from step to step, and stays as it is where none changes it", () =>
  Effect.gen(function* () {
    const { ending } = stepsOf(
      { ending: (said) => Effect.sync(() => ({ ...said(), timestamp: said().timestamp + 1 })) },
      { ending: () => Effect.succeed(undefined) },
      { ending: (said) => Effect.sync(() => ({ ...said(), timestamp: said().timestamp * 10 })) }
    )
    assert.deepStrictEqual(yield* ending(() => message), { ...message, timestamp: 10 })
    assert.isUndefined(yield* stepsOf({ ending: () => Effect.succeed(undefined) }).ending(() => message))
  })
)

it.effect("a model call is reserved with every step; what was reserved before a refusal is released", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const reserves = (name: string): RunStep => ({
      reserve: ({ inputTokens }) =>
        Effect.map(inputTokens, (tokens) => ({
          settle: () => Effect.sync(() => void log.push(`${name} settled`)),
          release: () => void log.push(`${name} released ${tokens}`)
        }))
    })
    const refused = new BudgetExceeded({ reason: "turns", limit: 1, spent: 1 })
    const call = { model, inputTokens: Effect.succeed(5) }
    const both = yield* stepsOf(reserves("a"), {}, reserves("b")).reserve(call)
    yield* both?.settle(zero) ?? Effect.void
    const failed = yield* Effect.either(stepsOf(reserves("c"), { reserve: () => refused }, reserves("d")).reserve(call))
    assert.deepStrictEqual([failed, log], [Either.left(refused), ["a settled", "b settled", "c released 5"]])
    assert.isUndefined(yield* stepsOf({}).reserve({ model, inputTokens: Effect.never }))
  })
)
