import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import * as ModelAuth from "../../../../src/layers/models/keys/ModelAuth.ts"
import { KnownSecrets, make as makeSecrets } from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { environment, folder, keys, write } from "../support.ts"

interface Setup {
  readonly providers?: unknown
  readonly auth?: unknown
}

const setup = ({ auth = {}, providers = {} }: Setup) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    yield* write(`${agentDir}/models.json`, { providers })
    yield* write(`${agentDir}/auth.json`, auth)
    const secrets = makeSecrets()
    const context = yield* Layer.build(Layer.provideMerge(keys(agentDir), Layer.succeed(KnownSecrets, secrets)))
    return { ...(yield* Effect.provide(ModelAuth.make, context)), secrets }
  })

const acme = { baseUrl: "https://me:password@acme.example", api: "x", models: [{ id: "m" }] }
const model = { provider: "acme", id: "m" }

describe("key and headers of a model", () => {
  it.scoped("are given in clear, and are secrets from then on", () =>
    Effect.gen(function* () {
      const { getApiKeyAndHeaders, getApiKeyForProvider, secrets } = yield* setup({
        providers: {
          acme: {
            ...acme,
            apiKey: "!echo acme-command-key",
            authHeader: true,
            headers: { "x-team": "TEAM" },
            models: [{ id: "m", headers: { "x-model": "!echo model-header-value" } }]
          }
        }
      })
      assert.deepStrictEqual(yield* getApiKeyAndHeaders(model), {
        ok: true,
        apiKey: "acme-command-key",
        headers: {
          Authorization: "Bearer acme-command-key",
          "x-team": "weavers-team",
          "x-model": "model-header-value"
        },
        baseUrl: "https://me:password@acme.example"
      })
      assert.strictEqual(yield* getApiKeyForProvider("acme"), "acme-command-key")
      assert.strictEqual(
        secrets.mask("acme-command-key, weavers-team, model-header-value"),
        "[redacted], [redacted], [redacted]"
      )
    }).pipe(environment({ TEAM: "weavers-team" }))
  )

  it.scoped("may be none", () =>
    Effect.gen(function* () {
      const { getApiKeyAndHeaders, hasConfiguredAuth } = yield* setup({
        providers: { acme: { ...acme, auth: "none" } }
      })
      assert.deepStrictEqual(yield* getApiKeyAndHeaders(model), {
        ok: true,
        baseUrl: "https://me:password@acme.example"
      })
      assert.isTrue(yield* hasConfiguredAuth(model))
    }).pipe(environment({}))
  )

  it.scoped("that are missing are named, and no command's output is", () =>
    Effect.gen(function* () {
      const { getApiKeyAndHeaders, getApiKeyForProvider, hasConfiguredAuth } = yield* setup({
        providers: {
          acme,
          broken: { ...acme, apiKey: "!echo sk-secret; exit 1" },
          headless: { ...acme, apiKey: "k", headers: { a: "LAB_TOKEN" } }
        }
      })
      const errors = yield* Effect.forEach(["acme", "broken", "headless", "nobody"], (provider) =>
        Effect.map(getApiKeyAndHeaders({ provider, id: "m" }), (found) => (found.ok ? "ok" : found.error))
      )
      assert.deepStrictEqual(
        errors.map((error) =>
          error.replace(/: \S*models\.json/, ": models.json").replace(/^\S*models\.json/, "models.json")
        ),
        [
          "No API key found for acme. Give it an apiKey in models.json, or run: heddle auth set acme",
          "No API key for broken: models.json: providers.broken.apiKey: the command ended with exit code 1",
          "models.json: providers.headless.headers.a: names the variable LAB_TOKEN, which is not set",
          'No provider named "nobody" is configured'
        ]
      )
      assert.deepStrictEqual(yield* Effect.forEach(["acme", "broken", "nobody"], getApiKeyForProvider), [
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(
        yield* Effect.forEach(["acme", "broken", "nobody"], (provider) => hasConfiguredAuth({ provider })),
        [false, true, false]
      )
    }).pipe(environment({}))
  )
})

describe("a login", () => {
  it.scoped("is known by its place, and is told when it has expired", () =>
    Effect.gen(function* () {
      const { getApiKeyAndHeaders, isUsingOAuth } = yield* setup({
        auth: {
          acme: { type: "oauth", access: "login-token", expires: 1000 },
          openai: { type: "api_key", key: "plain" }
        },
        providers: { acme }
      })
      const which = ["acme", "openai", "xai"]
      assert.deepStrictEqual(yield* Effect.forEach(which, (provider) => isUsingOAuth({ provider })), [
        true,
        false,
        false
      ])
      const found = yield* getApiKeyAndHeaders(model)
      assert.strictEqual(found.ok ? found.apiKey : found.error, "login-token")
      yield* TestClock.setTime(1000)
      const expired = yield* getApiKeyAndHeaders(model)
      assert.include(expired.ok ? "" : expired.error, "has expired")
    }).pipe(environment({ XAI_API_KEY: "k" }))
  )
})
