import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as ModelsFile from "../../../../src/layers/models/catalog/ModelsFile.ts"
import { bench } from "../support.ts"

const provider = (value: unknown) => ({ providers: { p: value } })
const model = (value: unknown) => provider({ baseUrl: "http://h", api: "a", models: [value, { id: "good" }] })

describe("what fits", () => {
  it("is read as it stands", () => {
    const { models: _, ...settings } = bench.providers.mock
    assert.deepStrictEqual<unknown>(ModelsFile.decode(bench), {
      providers: [{ id: "mock", settings, models: bench.providers.mock.models, overrides: [] }],
      problems: []
    })
  })

  it("may be as little as an id, or nothing at all", () => {
    assert.deepStrictEqual(ModelsFile.decode(provider({ models: [{ id: "m" }], modelOverrides: { x: {} } })), {
      providers: [{ id: "p", settings: {}, models: [{ id: "m" }], overrides: [["x", {}]] }],
      problems: []
    })
    assert.deepStrictEqual(ModelsFile.decode({ providers: {} }), ModelsFile.empty)
  })
})

describe("what does not fit is said with its path, without its value", () => {
  it.each<readonly [unknown, ReadonlyArray<string>]>([
    [[], ['Expected an object with the key "providers"']],
    [{}, ['the key "providers" is missing']],
    [{ provider: {}, providers: {} }, ["top level.provider: unknown key, ignored; did you mean providers?"]],
    [{ providers: [1] }, ["providers: Expected an object"]],
    [provider("sk-secret"), ["providers.p: Expected an object"]],
    [provider({ apiKey: 12345 }), ["providers.p.apiKey: Expected"]],
    [provider({ baseUrl: "localhost:1" }), ["providers.p.baseUrl: Expected an http or https address"]],
    [provider({ auth: "oauth" }), ['providers.p.auth: Expected "apiKey" or "none"']],
    [provider({ apikey: "sk-secret" }), ["providers.p.apikey: unknown key, ignored; did you mean apiKey?"]],
    [
      provider({ compat: { supportStore: true } }),
      ["providers.p.compat.supportStore: unknown key, ignored; did you mean"]
    ],
    [provider({ models: {} }), ["providers.p.models: Expected an array"]],
    [model({ id: "" }), ["providers.p.models[0].id: Expected a non empty string"]],
    [model({ name: "no id" }), ["providers.p.models[0].id: is missing"]],
    [model({ id: "m", contextWindow: "big" }), ["providers.p.models[0].contextWindow: Expected"]],
    [model({ id: "m", contextWindow: -1 }), ["providers.p.models[0].contextWindow: Expected a number greater than 0"]],
    [
      model({ id: "m", contextWindw: 1 }),
      ["providers.p.models[0].contextWindw: unknown key, ignored; did you mean contextWindow?"]
    ],
    [model({ id: "m", input: ["video"] }), ['providers.p.models[0].input[0]: Expected "text" or "image"']],
    [model({ id: "m", cost: { input: -2 } }), ["providers.p.models[0].cost.input: Expected a number, 0 or greater"]],
    [
      provider({ modelOverrides: { m: { maxTokens: 0 } } }),
      ["providers.p.modelOverrides.m.maxTokens: Expected a number"]
    ]
  ])("%j", (document, expected) => {
    const { problems } = ModelsFile.decode(document)
    assert.strictEqual(problems.length, expected.length, problems.join("\n"))
    expected.forEach((start, index) => assert.isTrue(problems[index]?.startsWith(start), problems[index]))
    for (const problem of problems) assert.notMatch(problem, /sk-secret|12345|"big"|video/)
  })

  it("leaves the rest in force", () => {
    const { providers } = ModelsFile.decode({
      providers: { bad: 7, p: { models: [{ id: 7 }, { id: "good" }], modelOverrides: { a: 1, b: { name: "B" } } } }
    })
    assert.deepStrictEqual(providers, [
      { id: "p", settings: {}, models: [{ id: "good" }], overrides: [["b", { name: "B" }]] }
    ])
  })
})

it("reads any JSON without failing, and never repeats a text of it as a value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const document of [value, { providers: value }, provider(value), model(value)]) {
        assert.isArray(ModelsFile.decode(document).problems)
      }
    }),
    { numRuns: 150 }
  )
})
