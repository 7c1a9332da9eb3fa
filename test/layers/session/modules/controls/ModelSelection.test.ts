import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { clampLevel, supportedLevels } from "../../../../../src/domain/model/Model.ts"
import * as ModelSelection from "../../../../../src/layers/session/modules/controls/ModelSelection.ts"
import { model as base } from "../../../../support/agent/ScriptedModel.ts"

const model = (provider: string, id: string, name = id) => ({ ...base, provider, id, name, reasoning: true })
const models = [
  model("a", "alpha-1", "Alpha One"),
  model("a", "alpha-2:beta"),
  model("b", "beta"),
  model("b", "alpha-1")
]
const label = (found: Either.Either<ModelSelection.ScopedModel, string>) =>
  Either.match(found, {
    onLeft: (text) => text,
    onRight: ({ model: { id, provider }, thinkingLevel }) =>
      `${provider}/${id}${thinkingLevel ? ` ${thinkingLevel}` : ""}`
  })

describe("select", () => {
  it("names the models that can be used first", () => {
    const usable = ({ provider }: { readonly provider: string }) => provider === "b"
    assert.deepStrictEqual(
      ModelSelection.select(models, { pattern: "zzz" }, usable),
      Either.left('No model matches "zzz". Known models: b/beta, b/alpha-1; without a key: a/alpha-1, a/alpha-2:beta')
    )
    const many = Array.from({ length: 30 }, (_, at) => model("a", `m${at}`))
    const found = ModelSelection.select([...many, ...models], { pattern: "zzz" }, usable)
    assert.match(
      Either.getOrElse(Either.flip(found), () => ""),
      /Known models: b\/beta, b\/alpha-1; without a key: a\/m0, .* and \d+ more$/
    )
  })

  const cases: ReadonlyArray<readonly [{ provider?: string; pattern?: string }, string]> = [
    [{ pattern: "beta" }, "b/beta"],
    [{ pattern: "b/alpha-1" }, "b/alpha-1"],
    [{ pattern: "alpha-1:high" }, "a/alpha-1 high"],
    [{ pattern: "alpha-2:beta" }, "a/alpha-2:beta"],
    [{ pattern: "*-2*" }, "a/alpha-2:beta"],
    [{ pattern: "b/*" }, "b/beta"],
    [{ pattern: "ALPHA ONE" }, "a/alpha-1"],
    [{ provider: "b", pattern: "alpha" }, "b/alpha-1"],
    [{ provider: "b" }, "b/beta"],
    [{ provider: "b", pattern: "zzz" }, 'No model matches "zzz". Known models: b/beta, b/alpha-1']
  ]
  for (const [choice, expected] of cases) {
    it(JSON.stringify(choice), () =>
      assert.strictEqual(label(ModelSelection.select(models, choice, () => true)), expected)
    )
  }
})

describe("cycling", () => {
  it("goes round the scoped list, each model once, with its own level", () => {
    const scoped = ModelSelection.scope(models, ["b/*:low", "alpha-1", "nothing"])
    assert.deepStrictEqual(
      scoped.map(({ model, thinkingLevel }) => `${model.provider}/${model.id} ${thinkingLevel}`),
      ["b/beta low", "b/alpha-1 low", "a/alpha-1 undefined"]
    )
    assert.strictEqual(ModelSelection.next(scoped, scoped[2]?.model), scoped[0])
    assert.strictEqual(ModelSelection.next(scoped, models[1]), scoped[0])
    assert.isUndefined(ModelSelection.next(scoped.slice(0, 1), undefined))
  })
})

describe("thinking levels", () => {
  it("are clamped to the next higher one, else the next lower one", () => {
    const capped = { ...base, reasoning: true, thinkingLevelMap: { minimal: null, low: null, xhigh: "x" } }
    assert.deepStrictEqual(supportedLevels(capped), ["off", "medium", "high", "xhigh"])
    assert.strictEqual(clampLevel(capped, "minimal"), "medium")
    assert.strictEqual(clampLevel(capped, "max"), "xhigh")
    assert.strictEqual(clampLevel(base, "high"), "off")
  })
})

it("a choice is exact only when it names one model in full", () => {
  const [one, twin] = [model("a", "m"), model("b", "m")]
  const exact = (pattern?: string, provider?: string) =>
    ModelSelection.exact([one, twin], {
      ...(pattern === undefined ? {} : { pattern }),
      ...(provider === undefined ? {} : { provider })
    })
  assert.deepStrictEqual(exact("a/m"), { model: one })
  assert.deepStrictEqual(exact("m", "b"), { model: twin })
  assert.isUndefined(exact("m"), "two models have that id")
  assert.isUndefined(exact("a/"), "a part of a name is not a name")
  assert.isUndefined(exact(undefined, "a"), "a provider alone names no model")
})
