import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Model, supportedLevels } from "../../../../src/domain/model/Model.ts"
import { keyAdvice, keyVariables } from "../../../../src/domain/model/ProviderKeys.ts"
import { builtInModels } from "../../../../src/layers/models/catalog/builtInModels.ts"
import { builtInProviders } from "../../../../src/layers/models/catalog/builtInProviders.ts"
import { merge } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import * as ModelsFile from "../../../../src/layers/models/catalog/ModelsFile.ts"
import { valueOf } from "../support.ts"

const { models } = merge({ file: ModelsFile.empty, path: "", addresses: new Map(), valueOf })
const known = models.map(({ model }) => model)

it("every built-in model is a whole model with sane numbers", () => {
  for (const model of known) {
    assert.deepStrictEqual(Schema.decodeUnknownSync(Model)(model), model)
    assert.isTrue(model.maxTokens > 0 && model.maxTokens <= model.contextWindow, model.id)
    assert.isTrue(model.cost.output >= model.cost.input && model.cost.cacheRead < model.cost.input, model.id)
    assert.isTrue(supportedLevels(model).length > 0, model.id)
  }
})

it("ids are unique, and every group of models has its provider", () => {
  assert.strictEqual(new Set(known.map(({ id, provider }) => `${provider}/${id}`)).size, known.length)
  const providers = builtInProviders.map(({ id }) => id)
  assert.strictEqual(new Set(providers).size, providers.length)
  for (const id of Object.keys(builtInModels)) assert.include(providers, id)
})

describe("every built-in provider", () => {
  it.each(builtInProviders)("$id can be reached and given a key, or says that it needs none", (provider) => {
    assert.include(["anthropic-messages", "openai-responses", "openai-completions"], provider.api)
    assert.isTrue(URL.canParse(provider.baseUrl) || provider.addressVariables.length > 0)
    assert.strictEqual(keyVariables(provider.id).length > 0, !provider.keyless)
    assert.isTrue(builtInModels[provider.id] !== undefined || provider.open, "models are listed or can be named")
  })
})

it("the default of a provider is not its most expensive model of those sold today", () => {
  const price = (id: string) => known.find((model) => model.id === id)?.cost.output ?? 0
  assert.strictEqual(builtInModels["anthropic"]?.[0]?.id, "claude-sonnet-5-5")
  for (const [provider, [first, ...others]] of Object.entries(builtInModels)) {
    if (others.length < 2) continue
    assert.isBelow(price(first?.id ?? ""), Math.max(...others.map(({ id }) => price(id))), provider)
  }
})

it("every provider that has a variable for its key is there", () => {
  const ids = builtInProviders.map(({ id }) => id)
  for (const id of ["zai", "huggingface", "vercel-ai-gateway"]) assert.include(ids, id)
})

it("advice names the variable that people have, or the file", () => {
  assert.strictEqual(keyAdvice("anthropic"), "Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic")
  assert.strictEqual(keyAdvice("google"), "Set GEMINI_API_KEY, or run: heddle auth set google")
  assert.strictEqual(keyAdvice("lab"), "Give it an apiKey in models.json, or run: heddle auth set lab")
  assert.deepStrictEqual(keyVariables("constructor"), [])
})
