/** Whatever a provider reports, what is counted is a sound amount, and never much less than what was sent and received. */
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as AssistantDraft from "../../../src/domain/conversation/AssistantDraft.ts"
import { userMessage } from "../../../src/domain/conversation/Message.ts"
import * as Metering from "../../../src/domain/model/Metering.ts"
import type { ModelEvent } from "../../../src/domain/model/ModelEvent.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import { model } from "../../support/agent/ScriptedModel.ts"

const isUsage = Schema.is(Usage.Usage)
const priced = { ...model, cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }
const question = "What does the shuttle of a loom carry from one side to the other? ".repeat(10)
const sent: Metering.Sent = { systemPrompt: "Be brief.", messages: [userMessage(question, [], 0)], tools: [] }
const text = "The weft, between the threads of the warp. ".repeat(10)
const answer: ReadonlyArray<ModelEvent> = [
  { _tag: "TextStarted" },
  { _tag: "Delta", delta: text },
  { _tag: "BlockEnded" },
  { _tag: "Finished", stopReason: "stop" }
]
/** Four characters a token. */
const about = { input: Math.ceil(question.length / 4), output: Math.ceil(text.length / 4) }

const after = (...events: ReadonlyArray<ModelEvent>) => {
  let draft = AssistantDraft.empty(priced, 0)
  for (const event of events) [draft] = AssistantDraft.apply(draft, event)
  return draft
}
const report = (tokens: unknown): ModelEvent => ({ _tag: "UsageReported", tokens: Object(tokens) })
const measure = (...events: ReadonlyArray<ModelEvent>) => Metering.measure(after(...events), sent)

const junk = fc.oneof(
  fc.anything(),
  fc.double(),
  fc.constantFrom(0, 1, -1, 1e12, 1e13, 1e308, -1e308, "7", null, undefined, [], {}),
  fc.nat(5000)
)
const anyReport = fc.oneof(
  fc.record({ input: junk, output: junk, cacheRead: junk, cacheWrite: junk }, { requiredKeys: [] }),
  fc.anything()
)

describe("a usage", () => {
  it("is sound after any reports, and no lower than the estimate by more than the tolerance", () => {
    fc.assert(
      fc.property(fc.array(anyReport, { maxLength: 4 }), (reports) => {
        const { usage } = measure(...reports.map(report), ...answer)
        assert.isTrue(isUsage(usage), JSON.stringify(usage))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(usage)), usage)
        assert.isAtLeast(Usage.inputOf(usage) * 16, about.input)
        assert.isAtLeast(usage.output * 16, about.output)
      })
    )
  })

  it("is what was reported where that can be right", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 11, max: 1e9 }),
        fc.integer({ min: 7, max: 1e9 }),
        fc.nat(1e9),
        (input, output, cached) => {
          const tokens = { input, output, cacheRead: cached, cacheWrite: 0 }
          assert.deepStrictEqual(measure(report(tokens), ...answer), { usage: Usage.make(tokens, priced.cost) })
        }
      )
    )
  })

  it("stays within its bounds when it is added up or taken apart", () => {
    const count = fc.oneof(fc.double({ min: 0, max: 1e12, noNaN: true }), fc.constantFrom(0, 1e12))
    const usage = fc
      .record({ input: count, output: count, cacheRead: count, cacheWrite: count })
      .map((tokens) => Usage.make(tokens, priced.cost))
    fc.assert(
      fc.property(usage, usage, (one, other) => {
        const sum = Usage.add(one, other)
        assert.isTrue(isUsage(sum))
        assert.isTrue(isUsage(Usage.subtract(one, other)))
        assert.isAtLeast(sum.totalTokens, Math.max(one.totalTokens, other.totalTokens))
      })
    )
  })
})

describe("an estimate", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<ModelEvent>, doubt: string | undefined]> = [
    ["no report", [], undefined],
    ["an empty report", [report({})], "0 tokens of input for about "],
    ["zero", [report(Usage.zeroTokens)], "0 tokens of input for about "],
    ["a negative number", [report({ input: -5, output: 9 })], "-5 as input"],
    ["NaN", [report({ input: 900, output: Number.NaN })], "NaN as output"],
    ["too little output", [report({ input: 900, output: 1 })], `1 tokens of output for about ${about.output}`]
  ]
  it.each(cases)("takes the place of %s", (_, reports, doubt) => {
    const measured = measure(...reports, ...answer)
    assert.strictEqual(measured.usage.estimated, true)
    assert.isAtLeast(measured.usage.input, about.input)
    assert.isAtLeast(measured.usage.output, doubt === "-5 as input" ? 9 : about.output)
    assert.isAbove(measured.usage.cost.total, 0)
    if (doubt === undefined) assert.isUndefined(measured.doubt)
    else assert.include(measured.doubt, `scripted/test-model has reported a usage that cannot be right (${doubt}`)
  })

  it("keeps what was reported beyond it", () => {
    const { usage } = measure(report({ input: 90_000, output: "x", cacheRead: 10_000 }), ...answer)
    assert.deepInclude(usage, { input: 90_000, cacheRead: 10_000, output: about.output, estimated: true })
  })

  it("completes the report of an answer that was cut off, without a doubt", () => {
    const { doubt, usage } = measure(report({ input: 500, output: 1 }), ...answer.slice(0, 2))
    assert.deepInclude(usage, { input: 500, output: about.output, estimated: true })
    assert.isUndefined(doubt)
  })

  it("is not made of a call that was never worked on, nor where a script counts", () => {
    assert.deepStrictEqual(measure(), { usage: Usage.zero })
    assert.deepStrictEqual(measure(report(Usage.zeroTokens)), { usage: Usage.make(Usage.zeroTokens, priced.cost) })
    const exact: ModelEvent = { _tag: "UsageReported", tokens: Usage.zeroTokens, exact: true }
    const { usage } = measure(exact, report({ input: 1, output: 1 }), ...answer)
    assert.deepInclude(usage, { input: 1, output: 1 })
  })
})
