/** The head of a request: provider × kind of key × address, from models.json and the environment to the bytes that arrive. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import { userMessage } from "../../../../src/domain/conversation/Message.ts"
import { Catalog } from "../../../../src/layers/models/catalog/Catalog.ts"
import { unknownModel } from "../../../../src/layers/models/catalog/CatalogMerge.ts"
import * as builtIn from "../../../../src/layers/models/protocols/builtIn.ts"
import * as ProviderRegistry from "../../../../src/layers/models/providers/ProviderRegistry.ts"
import * as KnownSecrets from "../../../../src/layers/machine/secrets/KnownSecrets.ts"
import { ModelClient } from "../../../../src/services/model/ModelClient.ts"
import { defaults } from "../../../../src/services/Settings.ts"
import * as Loopback from "../../../support/LoopbackModel.ts"
import { environment, folder, keys, write } from "../support.ts"

type Texts = Readonly<Record<string, string>>

interface Row {
  readonly name: string
  readonly provider: string
  /** The entry of the provider in models.json. */
  readonly entry?: unknown
  readonly variables?: Texts
  readonly url: string
  readonly headers: Texts
  readonly secrets?: ReadonlyArray<string>
}

const key = "sk-0123456789abcdef"
const token = "sk-ant-oat01-0123456789"
const bearer = { authorization: `Bearer ${key}` }
const version = { "anthropic-version": "2026-10-21" }
const openAiAccount = { "openai-organization": "org-mine", "openai-project": "proj-mine" }

/** In the environment of every row: all that an SDK would take from there by itself. */
const meantForVendors = {
  OPENAI_CUSTOM_HEADERS: "x-openai-gate: for-openai-only",
  OPENAI_ORG_ID: "org-mine",
  OPENAI_PROJECT_ID: "proj-mine",
  OPENAI_ADMIN_KEY: "admin-key",
  OPENAI_BASE_URL: "https://elsewhere.example.com",
  OPENAI_LOG: "debug",
  ANTHROPIC_CUSTOM_HEADERS: "x-anthropic-gate: for-anthropic-only",
  ANTHROPIC_AUTH_TOKEN: "another-token",
  ANTHROPIC_BASE_URL: "https://elsewhere.example.com",
  ANTHROPIC_PROFILE: "mine",
  ANTHROPIC_LOG: "debug",
  ANTHROPIC_ORGANIZATION_ID: "org-mine",
  ANTHROPIC_WORKSPACE_ID: "workspace-mine",
  ANTHROPIC_SERVICE_ACCOUNT_ID: "account-mine",
  ANTHROPIC_IDENTITY_TOKEN: "identity-mine",
  ANTHROPIC_FEDERATION_RULE_ID: "rule-mine",
  ANTHROPIC_SCOPE: "scope-mine",
  ANTHROPIC_OPEN_TELEMETRY: "true",
  ANTHROPIC_OPEN_TELEMETRY_PROPAGATION: "true"
}

const lab = (more: object) => ({ baseUrl: "https://llm.example.com/v1", models: [{ id: "weaver" }], ...more })
const anthropicGate = { "x-anthropic-gate": "for-anthropic-only" }
const openAiGate = { "x-openai-gate": "for-openai-only" }

const rows: ReadonlyArray<Row> = [
  {
    name: "Anthropic's own address, an API key",
    provider: "anthropic",
    variables: { ANTHROPIC_API_KEY: key },
    url: "https://api.anthropic.com/v1/messages",
    headers: { ...version, ...anthropicGate, ...bearer },
    secrets: [key]
  },
  {
    name: "Anthropic's own address, a subscription token",
    provider: "anthropic",
    variables: { ANTHROPIC_OAUTH_TOKEN: token },
    url: "https://api.anthropic.com/v1/messages",
    headers: {
      ...version,
      ...anthropicGate,
      authorization: `Bearer ${token}`,
      "anthropic-beta": "oauth-2025-04-20"
    },
    secrets: [token]
  },
  {
    name: "a proxy for Anthropic, an API key",
    provider: "anthropic",
    entry: { baseUrl: "https://proxy.example.com/v1/" },
    variables: { ANTHROPIC_API_KEY: key },
    url: "https://proxy.example.com/v1/messages",
    headers: { ...version, ...bearer, "x-api-key": key },
    secrets: [key]
  },
  {
    name: "a proxy whose name ends like Anthropic's, a subscription token",
    provider: "anthropic",
    entry: { baseUrl: "https://notanthropic.com" },
    variables: { ANTHROPIC_OAUTH_TOKEN: token },
    url: "https://notanthropic.com/v1/messages",
    headers: { ...version, authorization: `Bearer ${token}`, "anthropic-beta": "oauth-2025-04-20" },
    secrets: [token]
  },
  {
    name: "a proxy for Anthropic, no key",
    provider: "anthropic",
    entry: { baseUrl: "http://127.0.0.1:9", auth: "none" },
    url: "http://127.0.0.1:9/v1/messages",
    headers: version
  },
  {
    name: "a server with Anthropic's protocol, a command's key, headers, and a bearer",
    provider: "lab",
    entry: lab({
      api: "anthropic-messages",
      apiKey: "!printf printed-by-command",
      authHeader: true,
      headers: { "x-team": "$TEAM_SECRET" }
    }),
    variables: { TEAM_SECRET: "secret-of-team" },
    url: "https://llm.example.com/v1/messages",
    headers: {
      ...version,
      authorization: "Bearer printed-by-command",
      "x-api-key": "printed-by-command",
      "x-team": "secret-of-team"
    },
    secrets: ["printed-by-command", "secret-of-team"]
  },
  {
    name: "OpenAI's own address, an API key",
    provider: "openai",
    variables: { OPENAI_API_KEY: key },
    url: "https://api.openai.com/v1/responses",
    headers: { ...bearer, ...openAiAccount, ...openAiGate },
    secrets: [key]
  },
  {
    name: "OpenAI's own address for chat completions",
    provider: "lab",
    entry: lab({ api: "openai-completions", baseUrl: "https://eu.api.openai.com/v1", apiKey: key }),
    url: "https://eu.api.openai.com/v1/chat/completions",
    headers: { ...bearer, ...openAiAccount, ...openAiGate },
    secrets: [key]
  },
  {
    name: "a proxy for OpenAI, an API key",
    provider: "openai",
    entry: { baseUrl: "https://api.openai.com.example.com/v1" },
    variables: { OPENAI_API_KEY: key },
    url: "https://api.openai.com.example.com/v1/responses",
    headers: bearer,
    secrets: [key]
  },
  {
    name: "Azure, with a version in its address",
    provider: "azure-openai",
    entry: { baseUrl: "https://mine.openai.azure.com/openai/v1?api-version=preview" },
    variables: { AZURE_OPENAI_API_KEY: key },
    url: "https://mine.openai.azure.com/openai/v1/responses?api-version=preview",
    headers: bearer,
    secrets: [key]
  },
  {
    name: "Gemini",
    provider: "google",
    variables: { GEMINI_API_KEY: key },
    url: "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    headers: bearer,
    secrets: [key]
  },
  {
    name: "a local server, no key",
    provider: "ollama",
    url: "http://127.0.0.1:11434/v1/chat/completions",
    headers: {}
  },
  {
    name: "a server with OpenAI's protocol, a key and headers",
    provider: "lab",
    entry: lab({ api: "openai-completions", apiKey: key, headers: { "x-team": "$TEAM_SECRET" } }),
    variables: { TEAM_SECRET: "secret-of-team" },
    url: "https://llm.example.com/v1/chat/completions",
    headers: { ...bearer, "x-team": "secret-of-team" },
    secrets: [key, "secret-of-team"]
  },
  {
    name: "a server with OpenAI's protocol, headers in place of a key",
    provider: "lab",
    entry: lab({ api: "openai-responses", auth: "none", headers: { authorization: "Basic bGFiOnB3" } }),
    url: "https://llm.example.com/v1/responses",
    headers: { authorization: "Basic bGFiOnB3" },
    secrets: ["Basic bGFiOnB3"]
  }
]

/** What HTTP needs and what the SDKs say about themselves. */
const isIncidental = (name: string) =>
  /^(host|connection|content-length|accept|accept-encoding|user-agent|x-stainless-.*)$/.test(name)

interface Fetched {
  readonly url: string
  readonly timeout: unknown
}

/** Every origin is the loopback server's. The request is made by the runtime's own fetch. */
const redirected = (to: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const own = globalThis.fetch
        const fetched: Array<Fetched> = []
        const fetch = (address: string, init: RequestInit = {}) => {
          fetched.push({ url: address, timeout: "timeout" in init ? init.timeout : undefined })
          const { pathname, search } = new URL(address)
          return own(`${to}${pathname}${search}`, init)
        }
        vi.stubGlobal("fetch", fetch)
        for (const [name, value] of Object.entries(meantForVendors)) vi.stubEnv(name, value)
        return fetched
      }),
      () =>
        Effect.sync(() => {
          vi.unstubAllGlobals()
          vi.unstubAllEnvs()
        })
    ),
    (fetched) => () => fetched.splice(0)
  )

const send = Effect.fnUntraced(function* ({ entry, provider, variables = {} }: Row) {
  const server = yield* Loopback.make(Loopback.json(400, { error: { message: "no" } }))
  const fetched = yield* redirected(server.baseUrl)
  const agentDir = yield* folder
  yield* write(`${agentDir}/models.json`, { providers: entry === undefined ? {} : { [provider]: entry } })
  const secrets = KnownSecrets.make()
  const protocols = Effect.succeed(builtIn.make(defaults, secrets))
  const registry = ProviderRegistry.layerClient({ providers: [], protocols })
  yield* Effect.gen(function* () {
    const catalog = yield* Catalog
    const known = catalog.providers.get(provider)
    assert(known !== undefined)
    const listed = (yield* catalog.models).find(({ model }) => model.provider === provider)
    const { model } = listed ?? unknownModel(known, "m1")
    const messages = [userMessage("hi", [], 0)]
    const client = yield* ModelClient
    const opened = yield* client.stream({
      model,
      messages,
      systemPrompt: "",
      tools: [],
      thinkingLevel: "off",
      sessionId: "s"
    })
    yield* Effect.exit(opened.takeAll)
  }).pipe(Effect.provide(Layer.provideMerge(registry, keys(agentDir))), environment(variables), Effect.scoped)
  const { headers, method } = yield* server.requests.take
  return { headers, method, fetched: fetched(), secrets }
})

describe("what is sent", () => {
  it.scoped.each(rows)("$name", (row) =>
    Effect.gen(function* () {
      const { fetched, headers, method, secrets } = yield* send(row)
      const telling = Object.entries(headers).filter(([name]) => !isIncidental(name))
      assert.deepStrictEqual(
        { method, headers: Object.fromEntries(telling), fetched },
        {
          method: "POST",
          headers: { "content-type": "application/json", ...row.headers },
          // The runtime would end a request after five minutes.
          fetched: [{ url: row.url, timeout: false }]
        }
      )
      // The program around heddle may want its variables.
      assert.include({ ...process.env }, meantForVendors)
      for (const secret of row.secrets ?? []) assert.strictEqual(secrets.mask(`<${secret}>`), "<[redacted]>")
    })
  )
})
