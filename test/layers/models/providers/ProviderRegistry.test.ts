import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Mailbox, Option, Redacted, Ref } from "effect"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import type { Model } from "../../../../src/domain/model/Model.ts"
import { label } from "../../../../src/domain/model/Model.ts"
import type { ModelEvent } from "../../../../src/domain/model/ModelEvent.ts"
import { Catalog, layerEmpty } from "../../../../src/layers/models/catalog/Catalog.ts"
import { unknownModel } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import * as Offline from "../../../../src/layers/models/offline/Offline.ts"
import type { Connection, Protocol } from "../../../../src/layers/models/providers/Protocol.ts"
import * as ProviderRegistry from "../../../../src/layers/models/providers/ProviderRegistry.ts"
import { Credentials } from "../../../../src/services/model/Credentials.ts"
import { ModelCatalog } from "../../../../src/services/model/ModelCatalog.ts"
import { ModelClient, type ModelFailure } from "../../../../src/services/model/ModelClient.ts"
import { bench, environment, folder, keys, write } from "../support.ts"

interface Setup {
  readonly providers?: unknown
  readonly variables?: Readonly<Record<string, string>>
}

/** The registry over a models.json, with a protocol that records how it is called and says nothing. */
const registry = ({ providers = {}, variables = {} }: Setup) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    yield* write(`${agentDir}/models.json`, { providers })
    const calls = yield* Ref.make<ReadonlyArray<Connection>>([])
    const protocol: Protocol = {
      api: "anthropic-messages",
      stream: (_, connection) =>
        Effect.zipRight(
          Ref.update(calls, (before) => [...before, connection]),
          Effect.tap(Mailbox.make<ModelEvent, ModelFailure>(), (mailbox) => mailbox.end)
        )
    }
    const offline = yield* Offline.make({ scenario: Option.none(), cwd: agentDir })
    const layer = ProviderRegistry.layer({ providers: [offline], protocols: Effect.succeed([protocol]) })
    const context = yield* Layer.build(Layer.provideMerge(layer, keys(agentDir)))
    const withEnvironment = environment(variables)
    const client = yield* Effect.provide(ModelClient, context)
    const catalog = yield* Effect.provide(ModelCatalog, context)
    const entries = yield* Effect.provide(Catalog, context)
    const unlisted = new Map<string, Model>()
    /** One that is not in the catalogue is the same each time as well. */
    const find = (provider: string, id: string) =>
      Effect.map(
        catalog.find(provider, id),
        Option.getOrElse(() => {
          const model = unlisted.get(`${provider}/${id}`) ?? {
            ...Offline.guide,
            api: "anthropic-messages",
            baseUrl: "http://127.0.0.1:1",
            provider,
            id
          }
          unlisted.set(`${provider}/${id}`, model)
          return model
        })
      )
    const call = (provider: string, id: string, more: Partial<Model> = {}) =>
      Effect.gen(function* () {
        const known = yield* find(provider, id)
        const model = Object.keys(more).length === 0 ? known : { ...known, ...more }
        const messages = [userMessage("hi", [], 0)]
        const request = { model, messages, systemPrompt: "", tools: [], thinkingLevel: "off", sessionId: "s" } as const
        return yield* client.stream(request)
      }).pipe(withEnvironment, Effect.scoped, Effect.asVoid)
    return {
      call,
      connections: Ref.get(calls),
      entries,
      available: withEnvironment(Effect.map(catalog.available, (models) => models.map(label))),
      all: Effect.map(catalog.all, (models) => models.map(label))
    }
  })

const headersOf = ({ headers }: Connection) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]))

describe("models", () => {
  it.scoped("are available where there is a key or none is needed, the offline ones last", () =>
    Effect.gen(function* () {
      const { all, available } = yield* registry({
        providers: { ...bench.providers, far: { baseUrl: "http://far", api: "x", models: [{ id: "m" }] } },
        variables: { XAI_API_KEY: "x" }
      })
      const usable = ["xai/grok-4.7", "xai/grok-4.3", "mock/mock-model", "offline/guide", "offline/script"]
      assert.deepStrictEqual(yield* available, usable)
      assert.includeMembers([...(yield* all)], [...usable, "anthropic/claude-opus-5-5", "far/m"])
    })
  )

  it.scoped("that were found later are there, too", () =>
    Effect.gen(function* () {
      const { available, entries } = yield* registry({})
      const ollama = entries.providers.get("ollama")
      assert(ollama !== undefined)
      yield* entries.add([unknownModel(ollama, "qwen3:8b")])
      assert.include(yield* available, "ollama/qwen3:8b")
    })
  )
})

describe("a request", () => {
  it.scoped("gets key, headers and flags of its model", () =>
    Effect.gen(function* () {
      const mock = {
        ...bench.providers.mock,
        authHeader: true,
        headers: { "x-team": "TEAM" },
        compat: { supportsStore: false }
      }
      const { call, connections } = yield* registry({ providers: { mock }, variables: { TEAM: "weavers" } })
      yield* call("mock", "mock-model")
      const [connection] = yield* connections
      assert(connection !== undefined)
      assert.deepStrictEqual(Option.map(connection.apiKey, Redacted.value), Option.some("mock-key"))
      assert.deepStrictEqual(headersOf(connection), { Authorization: "Bearer mock-key", "x-team": "weavers" })
      assert.deepStrictEqual(connection.compat, { supportsStore: false })
      assert.notInclude(JSON.stringify(connection), "mock-key")
    })
  )

  it.scoped("goes out without a key where none is needed", () =>
    Effect.gen(function* () {
      const { apiKey: _, ...mock } = bench.providers.mock
      const { call, connections } = yield* registry({ providers: { mock } })
      yield* call("mock", "mock-model")
      assert.deepStrictEqual(yield* connections, [
        { apiKey: Option.none(), headers: {}, compat: {}, addressPlaces: "providers.mock.baseUrl in models.json" }
      ])
    })
  )

  it.scoped("of an offline model needs no entry at all", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* registry({})
      yield* call("offline", "guide")
      assert.deepStrictEqual(yield* connections, [])
    })
  )
})

const bad = "!echo sk-secret; exit 1"

describe("a request that cannot be made says what to change", () => {
  it.scoped.each<readonly [string, string, Setup, Partial<Model>, string, string]>([
    [
      "anthropic",
      "claude-opus-5-5",
      {},
      {},
      "authentication",
      "No API key found for anthropic. Set ANTHROPIC_API_KEY, or run: heddle auth set anthropic"
    ],
    [
      "far",
      "m",
      { providers: { far: { baseUrl: "http://far", api: "anthropic-messages", models: [{ id: "m" }] } } },
      {},
      "authentication",
      "No API key found for far. Give it an apiKey in models.json, or run: heddle auth set far"
    ],
    [
      "mock",
      "mock-model",
      { providers: { mock: { ...bench.providers.mock, apiKey: bad } } },
      {},
      "authentication",
      "No API key for mock: DIR/models.json: providers.mock.apiKey: the command ended with exit code 1"
    ],
    [
      "mock",
      "mock-model",
      { providers: { mock: { ...bench.providers.mock, headers: { "x-a": bad } } } },
      {},
      "configuration",
      "DIR/models.json: providers.mock.headers.x-a: the command ended with exit code 1"
    ],
    [
      "mock",
      "mock-model",
      { providers: bench.providers },
      { api: "telepathy" },
      "configuration",
      'mock/mock-model uses the api "telepathy", which heddle does not support. Change it in models.json to one of: anthropic-messages'
    ],
    [
      "azure-openai",
      "mine",
      { variables: { AZURE_OPENAI_API_KEY: "k" } },
      { baseUrl: "" },
      "configuration",
      "azure-openai has no address: set AZURE_OPENAI_BASE_URL or providers.azure-openai.baseUrl in models.json"
    ],
    ["nobody", "m", {}, {}, "configuration", 'No provider named "nobody" is configured']
  ])("%s/%s %j", ([provider, id, setup, more, reason, message]) =>
    Effect.gen(function* () {
      const { call, connections } = yield* registry(setup)
      const failure = yield* Effect.flip(call(provider, id, more))
      assert.deepStrictEqual(
        [failure.reason, failure.message.replace(/\/\S+(?=\/models\.json:)/, "DIR"), failure.retryable],
        [reason, message, false]
      )
      assert.deepStrictEqual(yield* connections, [])
    })
  )
})

describe("the layers of the registry", () => {
  const script = { id: "own", needsKey: false, models: [{ ...Offline.guide, provider: "own", id: "m" }] }
  const said: ModelEvent = { _tag: "Finished", stopReason: "stop" }
  const own = {
    ...script,
    stream: () =>
      Effect.gen(function* () {
        const mailbox = yield* Mailbox.make<ModelEvent, ModelFailure>()
        yield* mailbox.offer(said)
        yield* mailbox.end
        return mailbox
      })
  }
  const noKeys = Layer.mock(Credentials, {})
  const request = { messages: [], systemPrompt: "", tools: [], thinkingLevel: "off", sessionId: "s" } as const

  it.scoped("are made one by one, and need only their own services", () =>
    Effect.gen(function* () {
      const catalog = Layer.provide(ProviderRegistry.layerCatalog([script]), [noKeys, layerEmpty])
      const client = Layer.provide(
        ProviderRegistry.layerClient({ providers: [own], protocols: Effect.dieMessage("not needed") }),
        [noKeys, layerEmpty]
      )
      const context = yield* Layer.build(Layer.merge(catalog, client))
      const { find } = yield* Effect.provide(ModelCatalog, context)
      const { stream } = yield* Effect.provide(ModelClient, context)
      const model = yield* Effect.flatten(find("own", "m"))
      const [events] = yield* Effect.flatMap(stream({ ...request, model }), (mailbox) => mailbox.takeAll)
      assert.deepStrictEqual([...events], [said])
    })
  )

  it.scoped("ask the Credentials that they were given", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const keys = Layer.mock(Credentials, {
        has: (provider) =>
          Effect.sync(() => {
            asked.push(provider)
            return false
          })
      })
      const catalog = Layer.provide(ProviderRegistry.layerCatalog([{ ...script, needsKey: true }]), [keys, layerEmpty])
      const { available } = yield* Effect.provide(ModelCatalog, yield* Layer.build(catalog))
      assert.deepStrictEqual(yield* available, [])
      assert.deepStrictEqual(asked, ["own"])
    })
  )

  it.scoped("a provider that waits for its server is interrupted with the call", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const slow = {
        ...script,
        stream: () =>
          Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          )
      }
      const { stream } = yield* Effect.provide(ModelClient, ProviderRegistry.layerOwn([slow]))
      const [model] = script.models
      assert(model !== undefined)
      const call = yield* Effect.fork(Effect.scoped(stream({ ...request, model })))
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(call)))
      assert.isTrue(yield* Deferred.isDone(ended))
    })
  )
})
