import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { label, type Model } from "../../../../../src/domain/model/Model.ts"
import * as InitialModel from "../../../../../src/layers/session/modules/controls/InitialModel.ts"
import * as ModelSelection from "../../../../../src/layers/session/modules/controls/ModelSelection.ts"
import { Catalog } from "../../../../../src/layers/models/catalog/Catalog.ts"
import * as Offline from "../../../../../src/layers/models/offline/Offline.ts"
import * as ProviderRegistry from "../../../../../src/layers/models/providers/ProviderRegistry.ts"
import { defaults, Settings, type SettingsValues } from "../../../../../src/services/Settings.ts"
import { bench, environment, folder, keys, withLog, write } from "../../../models/support.ts"

interface Setup {
  readonly asked?: ModelSelection.ModelChoice
  readonly variables?: Readonly<Record<string, string>>
  readonly settings?: Partial<SettingsValues>
  readonly providers?: unknown
  /** The `.env` of a trusted project. */
  readonly projectEnv?: string
}

const resolve = ({ asked = {}, projectEnv, providers = {}, settings = {}, variables = {} }: Setup) =>
  Effect.gen(function* () {
    const agentDir = yield* folder
    const project = yield* folder
    if (projectEnv !== undefined) yield* write(`${project}/.env`, projectEnv)
    yield* write(`${agentDir}/models.json`, { providers })
    const offline = yield* Offline.make({ scenario: Option.none(), cwd: agentDir })
    const layer = ProviderRegistry.layer({ providers: [offline], protocols: Effect.succeed([]) }).pipe(
      Layer.provideMerge(keys(agentDir, projectEnv === undefined ? {} : { project })),
      Layer.provideMerge(Layer.succeed(Settings, { ...defaults, ...settings }))
    )
    const { log, value } = yield* withLog(
      Effect.gen(function* () {
        const found = yield* Effect.either(InitialModel.resolve(asked))
        const { find } = yield* Catalog
        const chosen = Either.getOrUndefined(Either.map(found, Option.getOrUndefined))
        const inCatalog = chosen !== undefined && find(chosen.model.provider, chosen.model.id) !== undefined
        return { found, chosen, inCatalog }
      }).pipe(Effect.provide(layer))
    )
    return { ...value, log }
  }).pipe(environment(variables))

const chooses = (setup: Setup) =>
  Effect.map(resolve(setup), ({ chosen, found, log }) => ({
    model: chosen === undefined ? undefined : label(chosen.model),
    level: chosen?.thinkingLevel,
    error: Either.isLeft(found) ? found.left.message : undefined,
    log
  }))

const ask = (provider: string | undefined, pattern: string | undefined) => ({ provider, pattern })

describe("nothing was asked for", () => {
  it.scoped.each<readonly [string | undefined, Setup]>([
    ["anthropic/claude-sonnet-5-5", { variables: { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" } }],
    ["openai/gpt-6.1-sol", { variables: { OPENAI_API_KEY: "o", GROQ_API_KEY: "g" } }],
    ["mock/mock-model", { providers: bench.providers }],
    ["xai/grok-4.7", { providers: bench.providers, variables: { XAI_API_KEY: "x" } }],
    [
      "groq/openai/gpt-oss-20b",
      { variables: { XAI_API_KEY: "x" }, settings: { defaultModel: "groq/openai/gpt-oss-20b" } }
    ],
    ["openai/gpt-6.1-sol", { variables: { XAI_API_KEY: "x" }, settings: { defaultProvider: "openai" } }]
  ])("%s", ([model, setup]) =>
    Effect.map(chooses(setup), (chosen) => assert.deepStrictEqual([chosen.model, chosen.log], [model, []]))
  )

  it.scoped("offline only when nothing else can be used, and then it is said why", () =>
    Effect.gen(function* () {
      const { log, model } = yield* chooses({})
      assert.strictEqual(model, "offline/guide")
      assert.match(log.join("\n"), /^no API key found: using offline\/guide.*Set ANTHROPIC_API_KEY.*heddle auth set/)
    })
  )

  it.scoped("a default that does not exist is a warning", () =>
    Effect.gen(function* () {
      const { log, model } = yield* chooses({
        settings: { defaultModel: "gone" },
        variables: { ANTHROPIC_API_KEY: "a" }
      })
      assert.strictEqual(model, "anthropic/claude-sonnet-5-5")
      assert.match(
        log.join("\n"),
        /^the settings defaultProvider and defaultModel name no model: No model matches "gone"/
      )
    })
  )
})

describe("what was asked for", () => {
  it.scoped.each<readonly [string, ModelSelection.ModelChoice, Setup?]>([
    ["mock/mock-model", ask("mock", "mock-model"), { providers: bench.providers }],
    ["anthropic/claude-sonnet-5-5", ask("anthropic", undefined)],
    ["anthropic/claude-opus-5-5:high", ask(undefined, "claude-opus-5-5:high")],
    ["anthropic/claude-sonnet-5-5", ask(undefined, "sonnet")],
    ["openrouter/anthropic/claude-sonnet-5.5", ask(undefined, "sonnet"), { variables: { OPENROUTER_API_KEY: "o" } }],
    ["openai/gpt-6-luna", ask("openai", "*luna")],
    ["ollama/qwen3:8b", ask("ollama", "qwen3:8b")],
    ["ollama/qwen3:8b:low", ask(undefined, "ollama/qwen3:8b:low")],
    ["ollama/library/qwen3", ask("ollama", "ollama/library/qwen3")],
    ["azure-openai/my-deployment", ask("azure-openai", "my-deployment")],
    ["openrouter/anthropic/claude-opus-5", ask("openrouter", "anthropic/claude-opus-5")],
    ["openrouter/moon/shot", ask(undefined, "openrouter/moon/shot")],
    ["openrouter/anthropic/claude-opus-5.5", ask("openrouter", "anthropic/claude-opus-5.5")],
    ["openrouter/anthropic/claude-opus-5.5", ask("openrouter", "opus")],
    ["together/zai-org/GLM-5.3", ask(undefined, "zai-org/GLM-5.3")]
  ])("%s", ([expected, asked, setup = {}]) =>
    Effect.gen(function* () {
      const { chosen, inCatalog } = yield* resolve({ ...setup, asked })
      assert(chosen !== undefined)
      const level = chosen.thinkingLevel === undefined ? "" : `:${chosen.thinkingLevel}`
      assert.deepStrictEqual([`${label(chosen.model)}${level}`, inCatalog], [expected, true])
    })
  )

  it.scoped.each<readonly [RegExp, ModelSelection.ModelChoice]>([
    [
      /^Unknown provider: nobody\. Known providers: anthropic, .*llama\.cpp, offline\. .*models\.json/,
      ask("nobody", "m")
    ],
    [
      /^No model matches "claude-sonet"\. Known models: anthropic\/claude-sonnet-5-5, /,
      ask("anthropic", "claude-sonet")
    ],
    [/^No model matches "xyzzy"/, ask(undefined, "xyzzy")],
    [/^No model matches "nobody\/m"/, ask(undefined, "nobody/m")],
    [
      /^No models of ollama are known\. Name one with --model <id>, or list them in models\.json/,
      ask("ollama", undefined)
    ]
  ])("does not exist: %s", ([message, asked]) =>
    Effect.map(chooses({ asked }), ({ error }) => assert.match(error ?? "", message))
  )
})

it("the first choice is the first that is not of the last resort", () => {
  const model = (provider: string): Model => ({ ...Offline.guide, provider })
  const first = (...providers: ReadonlyArray<string>) =>
    ModelSelection.firstChoice(providers.map(model), "offline")?.provider
  assert.deepStrictEqual(
    [first(), first("offline"), first("offline", "b"), first("a", "offline", "b")],
    [undefined, "offline", "b", "a"]
  )
})

describe("a key that came with the project does not change the default", () => {
  const projectEnv = "ANTHROPIC_API_KEY=p\nOPENROUTER_API_KEY=p"
  it.scoped.each<readonly [string, Setup]>([
    ["openai/gpt-6.1-sol", { projectEnv, variables: { OPENAI_API_KEY: "o" } }],
    ["mock/mock-model", { projectEnv, providers: bench.providers }],
    ["anthropic/claude-sonnet-5-5", { projectEnv }],
    ["anthropic/claude-sonnet-5-5", { projectEnv, variables: { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a" } }],
    [
      "anthropic/claude-sonnet-5-5",
      { projectEnv, variables: { OPENAI_API_KEY: "o" }, asked: ask("anthropic", undefined) }
    ],
    ["openai/gpt-6.1-sol", { projectEnv, variables: { OPENAI_API_KEY: "o" }, settings: { defaultModel: "*" } }]
  ])("%s", ([expected, setup]) => Effect.map(chooses(setup), ({ model }) => assert.strictEqual(model, expected)))
})
