import { assert, describe, it } from "@effect/vitest"
import * as Model from "../../../src/domain/model/Model.ts"
import * as ProviderKeys from "../../../src/domain/model/ProviderKeys.ts"
import * as Usage from "../../../src/domain/model/Usage.ts"
import { model as scripted } from "../../support/agent/ScriptedModel.ts"

const { thinkingLevelMap: _, ...plain } = { ...scripted, reasoning: true }
const thinking = (thinkingLevelMap: Record<string, string | null>): Model.Model => ({ ...plain, thinkingLevelMap })

describe("thinking levels of a model", () => {
  const usual = ["off", "minimal", "low", "medium", "high"] as const
  const cases: ReadonlyArray<readonly [string, Model.Model | undefined, ReadonlyArray<Model.ThinkingLevel>]> = [
    ["no model", undefined, ["off"]],
    ["a model that does not think", { ...plain, reasoning: false }, ["off"]],
    ["a map of a model that does not think", { ...thinking({ high: "h" }), reasoning: false }, ["off"]],
    ["no map", plain, usual],
    ["xhigh by name", thinking({ xhigh: "x" }), [...usual, "xhigh"]],
    ["max by name", thinking({ max: "m" }), [...usual, "max"]],
    ["levels that are taken away", thinking({ off: null, minimal: null, xhigh: null }), ["low", "medium", "high"]]
  ]
  it.each(cases)("%s", (_, model, levels) => assert.deepStrictEqual(Model.supportedLevels(model), levels))
})

describe("clampLevel", () => {
  const cases: ReadonlyArray<readonly [string, Model.Model | undefined, Model.ThinkingLevel, Model.ThinkingLevel]> = [
    ["a level that the model has", plain, "low", "low"],
    ["the next higher one", thinking({ low: null, minimal: null }), "minimal", "medium"],
    ["the highest one below", plain, "max", "high"],
    ["xhigh where the map has only max", thinking({ max: "m" }), "xhigh", "max"],
    ["thinking that cannot be turned off", thinking({ off: null }), "off", "minimal"],
    ["without a model", undefined, "high", "off"],
    [
      "a model without any level",
      thinking(Object.fromEntries(Model.thinkingLevels.map((at) => [at, null]))),
      "low",
      "off"
    ]
  ]
  it.each(cases)("%s", (_, model, level, clamped) => assert.strictEqual(Model.clampLevel(model, level), clamped))

  it("the default is medium, or what comes next to it", () => {
    assert.strictEqual(Model.clampLevel(plain, Model.defaultLevel), "medium")
    assert.strictEqual(Model.clampLevel(thinking({ medium: null }), Model.defaultLevel), "high")
    assert.strictEqual(Model.clampLevel(undefined, Model.defaultLevel), "off")
  })
})

it("isThinkingLevel knows the levels and nothing else", () => {
  assert.isTrue(Model.thinkingLevels.every(Model.isThinkingLevel))
  assert.isFalse(["", "galaxy", "Off", 1, null, undefined].some(Model.isThinkingLevel))
})

it("label is provider and id", () => {
  assert.strictEqual(Model.label({ ...plain, provider: "p", id: "a/b" }), "p/a/b")
})

describe("Usage.make", () => {
  it("multiplies each class with its own price per million", () => {
    const tokens = { input: 1_000_000, output: 200_000, cacheRead: 3_000_000, cacheWrite: 50_000 }
    const usage = Usage.make(tokens, { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 4 })
    const cost = { input: 3, output: 3, cacheRead: 1.5, cacheWrite: 0.2, total: 7.7 }
    assert.deepStrictEqual(usage, { ...tokens, totalTokens: 4_250_000, cost })
  })

  it("zero costs nothing", () => {
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    assert.deepStrictEqual(Usage.zero, { ...none, totalTokens: 0, cost: { ...none, total: 0 } })
  })
})

describe("keys of providers", () => {
  it("the preferred variable comes first, and the advice names the usual one", () => {
    assert.deepStrictEqual(ProviderKeys.keyVariables("anthropic"), ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"])
    assert.strictEqual(ProviderKeys.keyAdvice("anthropic"), "Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic")
  })

  it("a provider without variables is configured in models.json", () => {
    assert.deepStrictEqual(ProviderKeys.keyVariables("mine"), [])
    assert.strictEqual(ProviderKeys.keyAdvice("mine"), "Give it an apiKey in models.json, or run: heddle auth set mine")
  })
})
