import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Mailbox, Option, Redacted, Scope } from "effect"
import type { Model } from "../../../../src/domain/model/Model.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import * as Registrations from "../../../../src/layers/models/catalog/Registrations.ts"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as builtIn from "../../../../src/layers/models/protocols/builtIn.ts"
import * as ProviderRegistry from "../../../../src/layers/models/providers/ProviderRegistry.ts"
import { KnownSecrets, make as makeSecrets } from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { ModelCatalog } from "../../../../src/services/model/ModelCatalog.ts"
import { ModelClient, ModelFailure } from "../../../../src/services/model/ModelClient.ts"
import { type ProviderConfig, ProviderRegistrations } from "../../../../src/services/model/ProviderRegistrations.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { environment, folder, keys } from "../support.ts"
import { all, collectFrom, joined, request, stream } from "../protocols/support.ts"

const setup = Effect.gen(function* () {
  const agentDir = yield* folder
  const secrets = makeSecrets()
  const context = yield* Layer.build(
    ProviderRegistry.layer({ providers: [], protocols: Effect.sync(() => builtIn.make(defaults, secrets)) }).pipe(
      Layer.provideMerge(Registrations.layer),
      Layer.provideMerge(keys(agentDir)),
      Layer.provide(LocalProcesses.layer),
      Layer.provide(Layer.succeed(KnownSecrets, secrets))
    )
  )
  const client = yield* Effect.provide(ModelClient, context)
  const catalog = yield* Effect.provide(ModelCatalog, context)
  const { register, unregister } = yield* Effect.provide(ProviderRegistrations, context)
  const model = (provider: string, id: string) =>
    Effect.map(
      catalog.find(provider, id),
      Option.getOrElse((): Model => assert.fail(`no model ${provider}/${id}`))
    )
  const call = (asked: Model) => Effect.scoped(collectFrom(client.stream(request({ model: asked }))))
  const registerIn = (name: string, config: ProviderConfig) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.extend(register(name, config), scope)
      return Scope.close(scope, Exit.void)
    })
  return { call, catalog, client, model, register, registerIn, secrets, unregister }
})

const last = (events: ReadonlyArray<ModelEvent>) => events.at(-1)?._tag

describe.each(all)("a registered provider that speaks $name", ({ name, protocol }) => {
  it.scoped("answers with key and headers of the registration", () =>
    Effect.gen(function* () {
      const { call, catalog, model, register } = yield* setup
      const server = yield* Loopback.make(Loopback.sse(stream(name)))
      yield* register("acme", {
        baseUrl: server.baseUrl,
        api: protocol.api,
        apiKey: "acme-key-123",
        authHeader: true,
        headers: { "x-team": "weavers" },
        models: [{ id: "loom" }]
      })
      const loom = yield* model("acme", "loom")
      assert.isTrue(yield* catalog.isAvailable(loom))
      assert.include(yield* catalog.available, loom)
      const { events, failure } = yield* call(loom)
      assert.deepStrictEqual([failure, last(events)], [undefined, "Finished"])
      const { headers } = yield* server.requests.take
      assert.deepStrictEqual([headers["x-team"], headers["authorization"]], ["weavers", "Bearer acme-key-123"])
    }).pipe(environment({}))
  )
})

const anthropic = Loopback.sse(stream("anthropic"))

describe("a built-in provider", () => {
  it.scoped("is called at the address of the registration, also for a model that was chosen before, and back", () =>
    Effect.gen(function* () {
      const { call, model, registerIn } = yield* setup
      const [first, second] = [yield* Loopback.make(anthropic), yield* Loopback.make(anthropic)]
      const closeFirst = yield* registerIn("anthropic", { baseUrl: first.baseUrl })
      const chosen = yield* model("anthropic", "claude-opus-5-5")
      yield* call(chosen)
      assert.strictEqual((yield* first.requests.take).headers["x-api-key"], "anthropic-key")
      const closeSecond = yield* registerIn("anthropic", { baseUrl: second.baseUrl, headers: { "x-gate": "yes" } })
      yield* call(chosen)
      assert.strictEqual((yield* second.requests.take).headers["x-gate"], "yes")
      yield* closeSecond
      yield* call(chosen)
      assert.isUndefined((yield* first.requests.take).headers["x-gate"])
      yield* closeFirst
      assert.strictEqual((yield* model("anthropic", "claude-opus-5-5")).baseUrl, "https://api.anthropic.com")
    }).pipe(environment({ ANTHROPIC_API_KEY: "anthropic-key" }))
  )
})

describe("a call that runs", () => {
  it.scoped("goes on when its provider is unregistered, and the next one fails with words", () =>
    Effect.gen(function* () {
      const { call, model, register, unregister } = yield* setup
      const go = yield* Deferred.make<void>()
      const text = stream("anthropic")
      const half = text.indexOf("\n\n", text.length / 2) + 2
      const server = yield* Loopback.make(
        Loopback.sse(text.slice(0, half), { _tag: "Until", go }, text.slice(half)),
        anthropic
      )
      yield* register("acme", { baseUrl: server.baseUrl, api: "anthropic-messages", models: [{ id: "m" }] })
      const chosen = yield* model("acme", "m")
      const fiber = yield* Effect.fork(call(chosen))
      yield* server.requests.take
      yield* unregister("acme")
      yield* Deferred.succeed(go, undefined)
      const { events, failure } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([failure, last(events)], [undefined, "Finished"])
      const after = yield* call(chosen)
      assert.deepStrictEqual(
        [after.failure?.reason, after.failure?.message],
        ["configuration", 'No provider named "acme" is configured']
      )
    }).pipe(environment({}))
  )
})

describe("a provider with code of its own", () => {
  const answer = (text: string) =>
    Effect.tap(Mailbox.make<ModelEvent, ModelFailure>(), (mailbox) =>
      Effect.zipRight(
        mailbox.offerAll([
          { _tag: "TextStarted" },
          { _tag: "Delta", delta: text },
          { _tag: "BlockEnded" },
          { _tag: "Finished", stopReason: "stop" }
        ]),
        mailbox.end
      )
    )

  it.scoped("gets key, headers and the whole address", () =>
    Effect.gen(function* () {
      const { call, model, register } = yield* setup
      yield* register("acme", {
        baseUrl: "https://me:password-of-me@acme.example",
        api: "acme-api",
        apiKey: "acme-key-123",
        headers: { "x-team": "weavers" },
        models: [{ id: "m" }, { id: "other", api: "no-such-api" }],
        stream: ({ model: { baseUrl } }, { address, apiKey, headers }) =>
          answer(
            JSON.stringify([
              baseUrl,
              Redacted.value(address),
              Option.map(apiKey, Redacted.value),
              Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)])
            ])
          )
      })
      const { events } = yield* call(yield* model("acme", "m"))
      const [, delta] = joined(events)
      assert.deepStrictEqual(delta?._tag === "Delta" ? JSON.parse(delta.delta) : undefined, [
        "https://[redacted]@acme.example",
        "https://me:password-of-me@acme.example",
        { _id: "Option", _tag: "Some", value: "acme-key-123" },
        [["x-team", "weavers"]]
      ])
      const other = yield* call(yield* model("acme", "other"))
      assert.strictEqual(other.failure?.reason, "configuration")
    }).pipe(environment({}))
  )

  it.scoped("is not called without a key that it needs", () =>
    Effect.gen(function* () {
      const { call, model, register } = yield* setup
      yield* register("acme", { apiKey: "ACME_API_KEY", models: [{ id: "m" }], stream: () => answer("no") })
      const { failure } = yield* call(yield* model("acme", "m"))
      assert.deepStrictEqual(failure?.reason, "authentication")
    }).pipe(environment({}))
  )

  it.scoped("takes over the models of an existing provider", () =>
    Effect.gen(function* () {
      const { call, model, register } = yield* setup
      const chosen = yield* model("anthropic", "claude-opus-5-5")
      yield* register("anthropic", { stream: () => answer("mine") })
      const { events } = yield* call(chosen)
      assert.deepStrictEqual(events[1], { _tag: "Delta", delta: "mine" })
    }).pipe(environment({ ANTHROPIC_API_KEY: "k" }))
  )
})

describe("what a server says about our key", () => {
  it.scoped("is masked for registered providers, too", () =>
    Effect.gen(function* () {
      const { call, model, register } = yield* setup
      const said = Loopback.json(401, { error: { message: "the key acme key 42 is bad" } })
      const server = yield* Loopback.make(said)
      const config = { baseUrl: server.baseUrl, api: "openai-completions", models: [{ id: "m" }] }
      yield* register("acme", { ...config, apiKey: "!echo acme key 42" })
      const { failure } = yield* call(yield* model("acme", "m"))
      assert.deepStrictEqual([failure?.reason, failure?.message.includes("acme key 42")], ["authentication", false])
    }).pipe(environment({}))
  )
})
