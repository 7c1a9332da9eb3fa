import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Schema } from "effect"
import { Model } from "../../../../src/domain/model/Model.ts"
import { merge } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import * as ModelsFile from "../../../../src/layers/models/catalog/ModelsFile.ts"
import { bench, valueOf } from "../support.ts"

const build = (providers: unknown, addresses: Readonly<Record<string, string>> = {}) => {
  const merged = merge({
    file: ModelsFile.decode({ providers }),
    path: "models.json",
    addresses: new Map(Object.entries(addresses)),
    valueOf
  })
  const models = merged.models.map(({ model }) => model)
  const of = (provider: string) => models.filter((model) => model.provider === provider)
  const find = (provider: string, id: string) => of(provider).find((model) => model.id === id)
  return { ...merged, of, find, ids: (provider: string) => of(provider).map(({ id }) => id) }
}

const plain = build({})
const sonnet = "claude-sonnet-5-5"

describe("a provider of the user's own", () => {
  it("has the models that the file lists, with defaults for what it leaves out", () => {
    const { of } = build({ lab: { baseUrl: "http://lab/v1", api: "openai-completions", models: [{ id: "m" }] } })
    assert.deepStrictEqual(of("lab"), [
      {
        id: "m",
        name: "m",
        api: "openai-completions",
        provider: "lab",
        baseUrl: "http://lab/v1",
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        costUnknown: true,
        contextWindow: 128_000,
        maxTokens: 16_384
      }
    ])
  })

  it("says of each model whether its price is known: 0 is a price, and so is a part of one", () => {
    const models = [
      { id: "none" },
      { id: "empty", cost: {} },
      { id: "free", cost: { input: 0, output: 0 } },
      { id: "part", cost: { output: 2 } },
      { id: "set later" }
    ]
    const modelOverrides = { "set later": { cost: { input: 0 } }, none: { maxTokens: 5 } }
    const { of } = build({ lab: { baseUrl: "http://lab/v1", api: "openai-completions", models, modelOverrides } })
    assert.deepStrictEqual(
      of("lab").map(({ cost, costUnknown, id }) => [id, costUnknown, cost.output]),
      [
        ["none", true, 0],
        ["empty", true, 0],
        ["free", undefined, 0],
        ["part", undefined, 2],
        ["set later", undefined, 0]
      ]
    )
    // They are read, copied and sent as JSON in places; what is known of the price goes with them.
    const copied = structuredClone(of("lab")).map((model) => Schema.encodeSync(Model)(model))
    assert.deepStrictEqual(
      copied.map((model) => model.costUnknown),
      [true, true, undefined, undefined, undefined]
    )
  })

  it("is the test bench's", () => {
    const { find, problems } = build(bench.providers)
    assert.deepStrictEqual(problems, [])
    const { apiKey: _, models, ...endpoint } = bench.providers.mock
    assert.deepStrictEqual<unknown>(find("mock", "mock-model"), { ...models[0], ...endpoint, provider: "mock" })
  })

  it("comes after the built-in ones, in the order of the file", () => {
    const { providers } = build({ z: { baseUrl: "http://z" }, a: { baseUrl: "http://a" } })
    assert.deepStrictEqual([...providers.keys()].slice(-3), ["llama.cpp", "z", "a"])
  })

  it.each([
    [{ models: [{ id: "m" }] }, "models.json: providers.lab.models[0]: has no baseUrl, and neither has its provider"],
    [
      { baseUrl: "http://x", models: [{ id: "m" }] },
      "models.json: providers.lab.models[0]: has no api, and neither has"
    ],
    [{ modelOverrides: { m: {} } }, "models.json: providers.lab.modelOverrides.m: there is no such model to override"]
  ])("is reported when it cannot work: %j", (lab, problem) => {
    const { ids, problems } = build({ lab })
    assert.deepStrictEqual(ids("lab"), [])
    assert.isTrue(problems[0]?.startsWith(problem), problems[0])
  })

  it.each([
    [{ baseUrl: "http://localhost:1/v1" }, true],
    [{ baseUrl: "http://127.0.0.1" }, true],
    [{ baseUrl: "http://[::1]:80/v1" }, true],
    [{ baseUrl: "http://localhost.evil.example" }, false],
    [{ baseUrl: "https://far.example", auth: "none" }, true],
    [{ baseUrl: "https://far.example" }, false],
    [{ baseUrl: "http://localhost", auth: "apiKey" }, false],
    [{ baseUrl: "http://localhost", apiKey: "k" }, false]
  ])("needs no key on this machine or where it says so: %j %s", (lab, keyless) => {
    assert.strictEqual(build({ lab }).providers.get("lab")?.keyless, keyless)
  })
})

describe("a built-in provider", () => {
  it("takes its address from the environment, and rather from the file", () => {
    const addresses = { anthropic: "http://proxy" }
    assert.isTrue(
      build({}, addresses)
        .of("anthropic")
        .every(({ baseUrl }) => baseUrl === "http://proxy")
    )
    const both = build({ anthropic: { baseUrl: "http://mine" } }, addresses)
    assert.isTrue(both.of("anthropic").every(({ baseUrl }) => baseUrl === "http://mine"))
    assert.deepStrictEqual(both.ids("anthropic"), plain.ids("anthropic"))
    assert.strictEqual(both.of("openai")[0]?.baseUrl, "https://api.openai.com/v1")
  })

  it("gets models replaced in their place and others appended", () => {
    const { find, ids } = build({ anthropic: { models: [{ id: sonnet, maxTokens: 5 }, { id: "claude-next" }] } })
    assert.deepStrictEqual(ids("anthropic"), [...plain.ids("anthropic"), "claude-next"])
    assert.deepStrictEqual(find("anthropic", sonnet)?.maxTokens, 5)
    assert.deepStrictEqual(find("anthropic", sonnet)?.contextWindow, 128_000)
    assert.deepStrictEqual(find("anthropic", "claude-next")?.api, "anthropic-messages")
  })

  it("keeps what an override does not name", () => {
    const { find } = build({ anthropic: { modelOverrides: { [sonnet]: { maxTokens: 5, cost: { output: 1 } } } } })
    const before = plain.find("anthropic", sonnet)
    assert.deepStrictEqual<unknown>(find("anthropic", sonnet), {
      ...before,
      maxTokens: 5,
      cost: { ...before?.cost, output: 1 }
    })
  })

  it("never has secrets in its models", () => {
    const secret = { apiKey: "sk-secret", headers: { "x-key": "sk-secret" } }
    const { models } = build({ anthropic: { ...secret, models: [{ id: "m", headers: secret.headers }] } })
    assert.notInclude(JSON.stringify(models.map(({ model }) => model)), "sk-secret")
    assert.notInclude(JSON.stringify(models), "sk-secret")
  })
})

it.effect("headers and flags of a provider hold for its models, which may change them", () =>
  Effect.gen(function* () {
    const { models } = build({
      lab: {
        baseUrl: "http://x",
        api: "a",
        headers: { a: "1", b: "1" },
        compat: { supportsStore: true, thinkingFormat: "x" },
        models: [{ id: "m", headers: { b: "2" }, compat: { supportsStore: false } }]
      }
    })
    const entry = models.find(({ model }) => model.provider === "lab")
    const headers = yield* Effect.forEach(Object.values(entry?.headers ?? {}), ({ resolve }) => resolve)
    assert.deepStrictEqual(headers.map(Redacted.value), ["1", "2"])
    assert.deepStrictEqual(entry?.compat, { supportsStore: false, thinkingFormat: "x" })
  })
)

it("knows which providers a key can be configured for", () => {
  const { providers } = build({ anthropic: { apiKey: "!pass anthropic" }, lab: { baseUrl: "http://x" } })
  assert.isTrue(Option.isSome(providers.get("anthropic")?.apiKey ?? Option.none()))
  assert.isTrue(Option.isNone(providers.get("lab")?.apiKey ?? Option.none()))
  assert.strictEqual(
    Option.getOrThrow(providers.get("anthropic")?.apiKey ?? Option.none()).where,
    "models.json: providers.anthropic.apiKey"
  )
})
