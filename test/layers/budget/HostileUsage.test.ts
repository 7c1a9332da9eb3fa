/** Limits hold whatever a provider reports: over the SDKs and real sockets, and for providers that are code of others. */
import { assert, describe, it } from "@effect/vitest"
import { Allowance } from "../../../src/services/Budget.ts"
import { Effect, Layer, Stream } from "effect"
import type { AgentEvent } from "../../../src/domain/conversation/AgentEvent.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import { Agent, Heddle } from "../../../src/index.ts"
import type { Api } from "../../support/hostile/Wire.ts"
import * as Usages from "../../support/hostile/Usages.ts"
import * as LoopbackModel from "../../support/LoopbackModel.ts"

const models: Readonly<Record<Api, string>> = {
  "anthropic-messages": "anthropic/claude-haiku-4-5",
  "openai-responses": "openai/gpt-6-luna",
  "openai-completions": "groq/openai/gpt-oss-120b"
}

const settings = { "retry.enabled": false, maxTurns: 60 }
const budget = { maxTotalTokens: 6000 }
/** More than the estimate of the longest call here. */
const oneCall = 6000

/** Runs a prompt to its end, and looks at everything that was counted on the way. */
const spend = Effect.fnUntraced(function* <E, R>(layer: Layer.Layer<Agent.Agent | Allowance, E, R>) {
  return yield* Effect.gen(function* () {
    const agent = yield* Agent.Agent
    const { mayCall, snapshot } = yield* Allowance
    const events: Array<AgentEvent> = []
    yield* agent.events.attach({ offer: (event) => void events.push(event), ready: Effect.void })
    yield* agent.prompt({ text: "Look around, for ever" })
    yield* agent.awaitIdle
    const answers = events.flatMap((event) =>
      event._tag === "MessageEnded" && event.message.role === "assistant" ? [event.message] : []
    )
    const ends = events.flatMap((event) => (event._tag === "PromptFinished" ? [event.error?.code ?? event.status] : []))
    const notices = events.flatMap((event) => (event._tag === "Notice" ? [event.message] : []))
    return { answers, ends, notices, snapshot: yield* snapshot, isAllowed: yield* mayCall }
  }).pipe(Effect.provide(layer))
})

type Spent = Effect.Effect.Success<ReturnType<typeof spend>>

const assertHeld = ({ answers, ends, isAllowed, snapshot }: Spent) => {
  assert.deepStrictEqual(ends, ["budget_exceeded"])
  assert.isFalse(isAllowed)
  assert.isAtLeast(answers.length, 1)
  let total = 0
  for (const { usage } of answers) {
    const amounts = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.totalTokens]
    for (const amount of [...amounts, ...Object.values(usage.cost)]) assert.isTrue(amount >= 0 && amount <= 1e12)
    total += usage.totalTokens
  }
  assert.strictEqual(snapshot.totalTokens, total)
}

const onWire = (api: Api, usage: (nth: number) => Usages.Usage | undefined, said?: string) =>
  Effect.gen(function* () {
    let nth = 0
    const { baseUrl } = yield* LoopbackModel.serve(() => Usages.toolAnswer(api, nth, usage(nth++), said))
    return yield* spend(
      Heddle.layer({ model: models[api], apiKey: "sk-test", baseUrl, settings, budget, tools: ["ls"] })
    )
  })

const apis = Object.keys(models).filter((name): name is Api => name in models)

describe.each(apis)("%s", (api) => {
  it.scopedLive("without a usage ends at the limit, by an estimate that is marked, and is not accused", () =>
    Effect.gen(function* () {
      const held = yield* onWire(api, () => undefined)
      assertHeld(held)
      assert.isBelow(held.snapshot.totalTokens, budget.maxTotalTokens + oneCall)
      for (const { usage } of held.answers) assert.strictEqual(usage.estimated, true)
      assert.deepStrictEqual(held.notices, [])
    })
  )

  const lies: ReadonlyArray<readonly [string, Usages.Usage, words: string]> = [
    ["zero", { input: 0, output: 0 }, "0 tokens of input for about "],
    ["less than nothing", { input: -31_500, output: -1 }, "-31500 as input"],
    ["texts", { input: "12", output: "many" }, "a string as input"],
    ["lists", { input: [5000], output: [] }, "a list as input"],
    ["objects", { input: {}, output: {} }, "an object as input"],
    ["more than there can be", { input: 1e308, output: 1e308 }, "1e+308 as input"],
    ["parts of a token", { input: 4000.5, output: 9.5 }, "4000.5 as input"],
    ["one token for everything", { input: 1, output: 1 }, " for about "]
  ]
  it.scopedLive.each(lies)("that reports %s is estimated, and named once", ([, usage, words]) =>
    Effect.gen(function* () {
      const held = yield* onWire(api, () => usage, "I will look again, because the folder may have changed. ".repeat(4))
      assertHeld(held)
      assert.isBelow(held.snapshot.totalTokens, budget.maxTotalTokens + oneCall)
      assert.strictEqual(held.notices.length, 1)
      assert.include(held.notices[0], models[api])
      assert.include(held.notices[0], words)
      assert.strictEqual(held.answers.at(-1)?.usage.estimated, true)
    })
  )

  // Elsewhere cached tokens are counted beside the input.
  const counting = api === "anthropic-messages" ? [] : [1e9, 101]
  it.scopedLive.each(counting)("that reports %s of 100 tokens as cached pays for all of its input", (cached) =>
    Effect.gen(function* () {
      const held = yield* onWire(api, () => ({ input: 100, output: 100, cached }))
      assertHeld(held)
      assert.isBelow(held.snapshot.totalTokens, budget.maxTotalTokens + oneCall)
      assert.include(held.notices.join(), `${cached} of 100 tokens as cacheRead`)
      assert.isTrue(held.answers.every(({ usage }) => usage.cacheRead === 0 && usage.input > 100))
    })
  )

  it.scopedLive("that is right is taken at its word, and what it reports beyond the estimate counts", () =>
    Effect.gen(function* () {
      const held = yield* onWire(api, () => ({ input: 2500, output: 100, cached: 500 }))
      assertHeld(held)
      assert.deepStrictEqual(
        held.answers.map(({ usage }) => [usage.input + usage.cacheRead, usage.output, usage.estimated]).at(0),
        [api === "anthropic-messages" ? 3000 : 2500, 100, undefined]
      )
      assert.deepStrictEqual(held.notices, [])
    })
  )

  it.scopedLive("that takes back what it has reported before does not lower the account", () =>
    Effect.gen(function* () {
      const held = yield* onWire(api, (nth) =>
        nth % 2 === 0 ? { input: 2000, output: 50 } : { input: -4000, output: -50 }
      )
      assertHeld(held)
      assert.isAtMost(held.answers.length, 4)
    })
  )
})

describe("a provider of the program", () => {
  const looks = (nth: number, tokens: unknown): ReadonlyArray<ModelEvent> => [
    { _tag: "ToolCallStarted", id: `call_${nth}`, name: "ls" },
    { _tag: "Delta", delta: "{}" },
    { _tag: "BlockEnded" },
    // What the types forbid, code in JavaScript does.
    ...(tokens === undefined ? [] : [{ _tag: "UsageReported" as const, tokens: Object(tokens) }]),
    { _tag: "Finished", stopReason: "toolUse" }
  ]
  const count = { output: 5, cacheRead: 0, cacheWrite: 0 }
  const reports: ReadonlyArray<readonly [string, unknown]> = [
    ["nothing", undefined],
    ["an empty object", {}],
    ["a text", "5000"],
    ["NaN", { ...count, input: Number.NaN }],
    ["infinity", { ...count, input: Number.POSITIVE_INFINITY }],
    ["less than nothing", { input: -1e9, output: -1e9, cacheRead: -1e9, cacheWrite: -1e9 }],
    ["a cache that takes back", { ...count, input: 4000, cacheRead: -100_000 }],
    ["1e308", { input: 1e308, output: 1e308, cacheRead: 1e308, cacheWrite: 1e308 }]
  ]
  it.scopedLive.each(reports)("that reports %s ends at the limit", ([, tokens]) =>
    Effect.gen(function* () {
      let nth = 0
      const provider = Heddle.provider({ id: "own", stream: () => Stream.fromIterable(looks(nth++, tokens)) })
      const held = yield* spend(Heddle.layer({ provider, settings, budget, tools: ["ls"] }))
      assertHeld(held)
      assert.isBelow(held.snapshot.totalTokens, budget.maxTotalTokens + oneCall)
    })
  )

  it.scopedLive("and prices that are below zero give nothing back", () =>
    Effect.gen(function* () {
      let nth = 0
      const cost = { input: -5, output: -5, cacheRead: 0, cacheWrite: 0 }
      const stream = () => Stream.fromIterable(looks(nth++, { ...count, input: 900 }))
      const provider = Heddle.provider({ id: "own", models: [{ id: "m", cost }], stream })
      const { snapshot } = yield* spend(
        Heddle.layer({ provider, settings, budget: { ...budget, maxCostUsd: 1 }, tools: ["ls"] })
      )
      assert.deepStrictEqual([snapshot.costUsd, snapshot.status], [0, "exceeded"])
    })
  )
})
