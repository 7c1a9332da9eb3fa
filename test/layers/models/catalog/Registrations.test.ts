import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { label } from "../../../../src/domain/model/Model.ts"
import { Catalog } from "../../../../src/layers/models/catalog/Catalog.ts"
import { unknownModel } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import * as Registrations from "../../../../src/layers/models/catalog/Registrations.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import { KnownSecrets, make as makeSecrets } from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { Credentials } from "../../../../src/services/model/Credentials.ts"
import { type ProviderConfig, ProviderRegistrations } from "../../../../src/services/model/ProviderRegistrations.ts"
import { environment, folder, keys, write } from "../support.ts"

interface Setup {
  readonly providers?: unknown
  readonly auth?: unknown
}

const setup = ({ auth, providers = {} }: Setup = {}) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    yield* write(`${agentDir}/models.json`, { providers })
    if (auth !== undefined) yield* write(`${agentDir}/auth.json`, auth)
    const secrets = makeSecrets()
    const context = yield* Layer.build(
      Registrations.layer.pipe(
        Layer.provideMerge(keys(agentDir)),
        Layer.provide(LocalProcesses.layer),
        Layer.provide(Layer.succeed(KnownSecrets, secrets))
      )
    )
    const catalog = yield* Effect.provide(Catalog, context)
    const credentials = yield* Effect.provide(Credentials, context)
    const { register, unregister } = yield* Effect.provide(ProviderRegistrations, context)
    /** Registers in a scope of its own and returns what closes it. */
    const registerIn = (name: string, config: ProviderConfig) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* Scope.extend(register(name, config), scope)
        return Scope.close(scope, Exit.void)
      })
    const labels = (provider: string) =>
      Effect.map(catalog.models, (entries) =>
        entries.filter(({ model }) => model.provider === provider).map(({ model }) => label(model))
      )
    const key = (provider: string) => Effect.map(credentials.find(provider), Option.map(Redacted.value))
    return { catalog, credentials, key, labels, register, registerIn, secrets, unregister }
  })

const acme = {
  name: "Acme AI",
  baseUrl: "https://api.acme.example/v1",
  api: "openai-completions",
  apiKey: "acme-literal-key",
  models: [{ id: "loom" }, { id: "spindle", reasoning: true, cost: { input: 2 }, maxTokens: 9 }]
} satisfies ProviderConfig

describe("a registered provider", () => {
  it.scoped("is in the catalogue at once, with the defaults of models.json", () =>
    Effect.gen(function* () {
      const { catalog, labels, register } = yield* setup()
      yield* register("acme", acme)
      assert.deepStrictEqual(yield* labels("acme"), ["acme/loom", "acme/spindle"])
      const { apiKey, headers, ...entry } = catalog.providers.get("acme") ?? assert.fail("no provider")
      assert.deepStrictEqual(
        { ...entry, address: Redacted.value(entry.address) },
        {
          id: "acme",
          name: "Acme AI",
          baseUrl: acme.baseUrl,
          address: acme.baseUrl,
          addressPlaces: "the baseUrl that acme is registered with",
          isRegistered: true,
          api: "openai-completions",
          keyless: false,
          open: false,
          compat: {},
          addressVariables: [],
          authHeader: false
        }
      )
      assert.deepStrictEqual([Option.isSome(apiKey), headers], [true, {}])
      assert.deepStrictEqual(catalog.find("acme", "spindle")?.model, {
        id: "spindle",
        name: "spindle",
        api: "openai-completions",
        provider: "acme",
        baseUrl: acme.baseUrl,
        reasoning: true,
        input: ["text"],
        cost: { input: 2, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: 9
      })
      assert.isTrue(catalog.find("acme", "loom")?.model.costUnknown)
    }).pipe(environment({}))
  )

  it.scoped("needs no wait once the code is loaded", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      const scope = yield* Effect.scope
      assert.isTrue(Exit.isSuccess(Effect.runSyncExit(Scope.extend(register("acme", acme), scope))))
      assert.isDefined(catalog.find("acme", "loom"))
    }).pipe(environment({}))
  )

  it.scoped("goes with its scope, and nothing of it stays", () =>
    Effect.gen(function* () {
      const { catalog, registerIn } = yield* setup()
      const before = { models: yield* catalog.models, providers: [...catalog.providers] }
      const close = yield* registerIn("acme", acme)
      yield* close
      assert.deepStrictEqual({ models: yield* catalog.models, providers: [...catalog.providers] }, before)
    }).pipe(environment({}))
  )

  it.scoped("is not left behind by a scope that is closed already", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      const scope = yield* Scope.make()
      yield* Scope.close(scope, Exit.void)
      yield* Scope.extend(register("acme", acme), scope)
      assert.isFalse(catalog.providers.has("acme"))
    }).pipe(environment({}))
  )

  it.scoped("keeps the models of discovery for when it is gone", () =>
    Effect.gen(function* () {
      const { catalog, labels, registerIn } = yield* setup()
      const ollama = catalog.providers.get("ollama") ?? assert.fail("no ollama")
      const close = yield* registerIn("ollama", { models: [{ id: "mine" }] })
      yield* catalog.add([unknownModel(ollama, "found")])
      assert.deepStrictEqual(yield* labels("ollama"), ["ollama/mine"])
      yield* close
      assert.deepStrictEqual(yield* labels("ollama"), ["ollama/found"])
    }).pipe(environment({}))
  )
})

describe("without models", () => {
  it.scoped("a registration moves a built-in provider, and its scope moves it back", () =>
    Effect.gen(function* () {
      const { catalog, labels, registerIn } = yield* setup({
        providers: { anthropic: { headers: { "x-file": "file" } } }
      })
      const before = yield* catalog.models
      const names = yield* labels("anthropic")
      const close = yield* registerIn("anthropic", { baseUrl: "https://gate.example", headers: { "x-gate": "gate" } })
      const entry = catalog.find("anthropic", "claude-opus-5-5") ?? assert.fail("no model")
      assert.deepStrictEqual(
        [entry.model.baseUrl, Redacted.value(entry.address), Object.keys(entry.headers), yield* labels("anthropic")],
        ["https://gate.example", "https://gate.example", ["x-file", "x-gate"], names]
      )
      yield* close
      assert.deepStrictEqual(yield* catalog.models, before)
    }).pipe(environment({}))
  )

  it.scoped("the place of the provider in the list stays, with models, too", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      const first = (yield* catalog.models)[0]?.model.provider ?? ""
      yield* register(first, { models: [{ id: "only" }] })
      const models = (yield* catalog.models).map(({ model }) => label(model))
      assert.deepStrictEqual(
        [models[0], models.filter((name) => name.startsWith(`${first}/`)).length],
        [`${first}/only`, 1]
      )
    }).pipe(environment({}))
  )
})

describe("of several registrations of one name", () => {
  it.scoped("the last one wins field by field, and each goes alone", () =>
    Effect.gen(function* () {
      const { catalog, labels, registerIn } = yield* setup()
      const closeFirst = yield* registerIn("acme", acme)
      const closeSecond = yield* registerIn("acme", { baseUrl: "https://second.example", models: [{ id: "second" }] })
      const state = Effect.map(labels("acme"), (names) => [catalog.providers.get("acme")?.baseUrl, names])
      const both = ["https://second.example", ["acme/second"]]
      assert.deepStrictEqual(yield* state, both)
      assert.strictEqual(catalog.find("acme", "second")?.model.api, "openai-completions")
      yield* closeSecond
      assert.deepStrictEqual(yield* state, [acme.baseUrl, ["acme/loom", "acme/spindle"]])
      yield* closeFirst
      assert.deepStrictEqual(yield* state, [undefined, []])
    }).pipe(environment({}))
  )

  it.scoped("a model that only an earlier one made reachable is left out when that one goes", () =>
    Effect.gen(function* () {
      const { labels, registerIn } = yield* setup()
      const closeFirst = yield* registerIn("acme", { baseUrl: acme.baseUrl, api: acme.api })
      yield* Effect.asVoid(registerIn("acme", { models: [{ id: "m" }] }))
      assert.deepStrictEqual(yield* labels("acme"), ["acme/m"])
      yield* closeFirst
      assert.deepStrictEqual(yield* labels("acme"), [])
    }).pipe(environment({}))
  )

  it.scoped("one of the same scope takes the place of the one before, however often", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      for (let n = 0; n < 1100; n++) yield* register("acme", { ...acme, models: [{ id: `m${n}` }] })
      assert.isDefined(catalog.find("acme", "m1099"))
    }).pipe(environment({}))
  )

  it.scoped("there are no more than a process can use", () =>
    Effect.gen(function* () {
      const { register, registerIn } = yield* setup()
      for (let n = 0; n < 1000; n++) yield* Effect.asVoid(registerIn("acme", { name: "n" }))
      const refused = yield* Effect.flip(register("acme", acme))
      assert.deepStrictEqual(refused.problems, ["there are 1000 registrations already"])
    }).pipe(environment({}))
  )

  it.scoped("unregister takes all of them back, and closing their scopes later does nothing", () =>
    Effect.gen(function* () {
      const { catalog, labels, register, registerIn, unregister } = yield* setup()
      const closeFirst = yield* registerIn("acme", acme)
      yield* Effect.asVoid(registerIn("acme", { baseUrl: "https://second.example" }))
      yield* unregister("acme")
      yield* unregister("nobody")
      assert.deepStrictEqual([yield* labels("acme"), catalog.providers.has("acme")], [[], false])
      yield* register("acme", acme)
      yield* closeFirst
      assert.deepStrictEqual(yield* labels("acme"), ["acme/loom", "acme/spindle"])
    }).pipe(environment({}))
  )
})

describe("modelOverrides of the user", () => {
  it.scoped("count for registered models, too", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup({
        providers: { acme: { modelOverrides: { loom: { maxTokens: 77 } } } }
      })
      yield* register("acme", acme)
      assert.strictEqual(catalog.find("acme", "loom")?.model.maxTokens, 77)
    }).pipe(environment({}))
  )
})

/** What code in JavaScript may give, whatever the types say. */
const odd = (config: unknown): ProviderConfig => JSON.parse(JSON.stringify(config))

describe("a registration is refused", () => {
  it.scoped.each([
    ["", acme, "the name must have 1 to 200 characters"],
    ["a/b", acme, "the name must not have spaces or slashes"],
    ["acme", { ...acme, baseUrl: "ftp://x" }, "baseUrl: Expected an http or https address"],
    ["acme", { ...acme, models: [{ name: "x" }] }, "models[0].id: is missing"],
    [
      "acme",
      { ...acme, models: [{ id: "m", contextWindow: 0 }] },
      "models[0].contextWindow: Expected a number greater than 0"
    ],
    ["acme", { ...acme, models: "all" }, "models: Expected an array"],
    ["acme", { ...acme, headers: { a: 1 } }, "headers.a: Expected string"],
    ["acme", { ...acme, stream: "code" }, "stream: Expected a function"],
    ["acme", { api: "x", models: [{ id: "m" }] }, "models[0]: has no baseUrl, and neither has its provider"],
    ["acme", { baseUrl: "http://x", models: [{ id: "m" }] }, "models[0]: has no api, and neither has its provider"],
    ["acme", { ...acme, models: Array.from({ length: 5001 }, (_, n) => ({ id: `m${n}` })) }, "models: more than 5000"]
  ] as const)("as %j with a problem that names the field, and changes nothing", ([name, config, problem]) =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      const before = yield* catalog.models
      const refused = yield* Effect.flip(register(name, odd(config)))
      assert.deepStrictEqual(refused.problems, [problem])
      assert.strictEqual(refused.message, `The provider "${name}" cannot be registered: ${problem}`)
      assert.deepStrictEqual(yield* catalog.models, before)
    }).pipe(environment({}))
  )

  it.scoped("without a word of its values", () =>
    Effect.gen(function* () {
      const { register } = yield* setup()
      const refused = yield* Effect.flip(
        register("acme", odd({ ...acme, apiKey: ["sk-secret-1"], headers: { a: { b: "sk-secret-2" } } }))
      )
      assert.notInclude(JSON.stringify(refused) + refused.message, "sk-secret")
    }).pipe(environment({}))
  )

  it.scoped("but keys that only pi knows are left out", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      const model = {
        id: "m",
        type: "chat",
        promptCache: { short: 5 },
        compat: { supportsStore: false, cacheControl: 1 }
      }
      yield* register("acme", odd({ ...acme, images: {}, oauth: {}, models: [model] }))
      assert.deepStrictEqual(catalog.find("acme", "m")?.compat, { supportsStore: false })
    }).pipe(environment({}))
  )
})

describe("the key of a registered provider", () => {
  it.scoped.each([
    ["acme-literal-key", "acme-literal-key"],
    ["ACME_KEY", "from the environment"],
    ["$ACME_KEY", "from the environment"],
    ["!echo from a command", "from a command"]
  ] as const)("%s is read as in models.json", ([apiKey, value]) =>
    Effect.gen(function* () {
      const { credentials, key, register } = yield* setup()
      assert.isFalse(yield* credentials.has("acme"))
      yield* register("acme", { ...acme, apiKey })
      assert.deepStrictEqual([yield* credentials.has("acme"), yield* key("acme")], [true, Option.some(value)])
    }).pipe(environment({ ACME_KEY: "from the environment" }))
  )

  it.scoped("that is redacted is the key, whatever it looks like", () =>
    Effect.gen(function* () {
      const { key, register } = yield* setup()
      yield* register("acme", { ...acme, apiKey: Redacted.make("!ACME_KEY") })
      assert.deepStrictEqual(yield* key("acme"), Option.some("!ACME_KEY"))
    }).pipe(environment({}))
  )

  it.scoped("comes after auth.json and the environment, and before models.json", () =>
    Effect.gen(function* () {
      const { key, register } = yield* setup({
        auth: { acme: { type: "api_key", key: "stored" } },
        providers: { openai: { apiKey: "file-openai" }, xai: { apiKey: "file-xai" } }
      })
      yield* register("acme", acme)
      yield* register("openai", { apiKey: "registered-openai" })
      yield* register("xai", { apiKey: "registered-xai" })
      assert.deepStrictEqual(
        [yield* key("acme"), yield* key("openai"), yield* key("xai")],
        [Option.some("stored"), Option.some("variable"), Option.some("registered-xai")]
      )
    }).pipe(environment({ OPENAI_API_KEY: "variable" }))
  )

  it.scoped("is not needed on this machine, by code of its own, or where the registration says so", () =>
    Effect.gen(function* () {
      const { catalog, register } = yield* setup()
      yield* register("here", { baseUrl: "http://127.0.0.1:1", api: "x", models: [{ id: "m" }] })
      yield* register("code", { models: [{ id: "m" }], stream: () => Effect.never })
      yield* register("code-with-key", { apiKey: "k", models: [{ id: "m" }], stream: () => Effect.never })
      yield* register("none", { ...acme, auth: "none" })
      yield* register("login", { models: [{ id: "m" }], auth: "apiKey", stream: () => Effect.never })
      const keyless = ["here", "code", "code-with-key", "none", "login"].map((id) => catalog.providers.get(id)?.keyless)
      assert.deepStrictEqual(keyless, [true, true, false, true, false])
      assert.strictEqual(catalog.find("code", "m")?.model.api, "code")
    }).pipe(environment({}))
  )

  it.scoped("is a secret from then on, like headers and passwords of addresses", () =>
    Effect.gen(function* () {
      const { registerIn, secrets } = yield* setup()
      const close = yield* registerIn("acme", {
        ...acme,
        baseUrl: "https://user:address-password@api.acme.example",
        apiKey: Redacted.make("redacted-acme-key"),
        headers: { "x-a": "header-secret", "x-b": "HEADER_VARIABLE" },
        models: [{ id: "m", headers: { "x-c": "model-header-secret" } }]
      })
      yield* close
      const text =
        "redacted-acme-key header-secret model-header-secret variable-header-secret address-password and the rest"
      assert.strictEqual(secrets.mask(text), "[redacted] [redacted] [redacted] [redacted] [redacted] and the rest")
    }).pipe(environment({ HEADER_VARIABLE: "variable-header-secret" }))
  )
})
