/** The module `pi-ai` and its subpaths: schemas, streams, models and calls. Sign-in flows are stubs. */
import type { Model, ThinkingLevel } from "../../../../domain/model/Model.ts"
import type { Tokens, Usage } from "../../../../domain/model/Usage.ts"
import { defined } from "../../../../domain/Values.ts"
import { uuidv7 } from "../../../machine/engine/Engine.ts"
import type { Holder } from "../HostBindings.ts"
import * as Typebox from "../typebox/Typebox.ts"
import * as EventStream from "./EventStream.ts"
import * as ModelCalls from "./ModelCalls.ts"
import * as Overflow from "./Overflow.ts"

type Values = Readonly<Record<string, unknown>>

/** A JSON Schema that every provider understands. */
const StringEnum = (
  values: ReadonlyArray<string>,
  { default: initial, description }: { readonly description?: string; readonly default?: string } = {}
) => ({ type: "string", enum: [...values], ...defined({ description, default: initial }) })

/** Streams of single protocols; the agent's providers choose the protocol by the model. */
const protocols = [
  ["anthropicMessagesApi", "anthropic-messages", "Anthropic"],
  ["openAICompletionsApi", "openai-completions", "OpenAICompletions"],
  ["openAIResponsesApi", "openai-responses", "OpenAIResponses"],
  ["azureOpenAIResponsesApi", "azure-openai-responses", "AzureOpenAIResponses"],
  ["openAICodexResponsesApi", "openai-codex-responses", "OpenAICodexResponses"],
  ["googleGenerativeAIApi", "google-generative-ai", "Google"],
  ["googleVertexApi", "google-vertex", "GoogleVertex"],
  ["mistralConversationsApi", "mistral-conversations", "Mistral"],
  ["bedrockConverseStreamApi", "bedrock-converse-stream", "Bedrock"]
] as const

const protocolCalls = ({ hostApi, viaHost }: ReturnType<typeof ModelCalls.make>): Values =>
  Object.fromEntries(
    protocols.flatMap(([factory, api, name]) => [
      [factory, () => hostApi(api)],
      [`stream${name}`, viaHost],
      [`streamSimple${name}`, viaHost]
    ])
  )

const models = (holder: Holder): Values => {
  const all = () => holder.get().models.all()
  const getModels = (provider?: string) =>
    all().filter((model) => provider === undefined || model.provider === provider)
  const getModel = (provider: string, id: string) =>
    all().find((model) => model.provider === provider && model.id === id)
  const getProviders = () => [...new Set(all().map(({ provider }) => provider))]
  return {
    getModel,
    getModels,
    getProviders,
    getBuiltinModel: getModel,
    getBuiltinModels: getModels,
    getBuiltinProviders: getProviders,
    getAllBuiltinModels: () => all(),
    getSupportedThinkingLevels: (model: Model) => holder.get().models.supportedLevels(model),
    clampThinkingLevel: (model: Model, level: ThinkingLevel) => holder.get().models.clampLevel(model, level),
    supportsXhigh: (model: Model) => holder.get().models.supportedLevels(model).includes("xhigh")
  }
}

/** Writes the cost into the usage, as callers expect, and returns it. */
const calculateCost = (holder: Holder) => (model: Model, usage: Tokens & { cost: Usage["cost"] }) => {
  usage.cost = holder.get().models.cost(usage, model.cost)
  return usage.cost
}

const modelsAreEqual = (a: Model | null | undefined, b: Model | null | undefined): boolean =>
  a !== null && a !== undefined && a.id === b?.id && a.provider === b.provider

const contentText = (content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>): string =>
  typeof content === "string"
    ? content
    : content.flatMap(({ text, type }) => (type === "text" ? [text ?? ""] : [])).join("\n")

export const make = (holder: Holder): Values => {
  const calls = ModelCalls.make(holder)
  return {
    ...protocolCalls(calls),
    ...calls.exports,
    ...models(holder),
    ...EventStream,
    ...Overflow,
    Type: Typebox.lazyType(),
    StringEnum,
    uuidv7,
    calculateCost: calculateCost(holder),
    modelsAreEqual,
    contentText,
    hasApi: (model: Model, api: string) => model.api === api,
    getEnvApiKey: (provider: string) => holder.get().credential(provider)?.["key"],
    getOAuthProviders: () => [],
    getOAuthProviderInfoList: () => [],
    getOAuthProvider: () => undefined,
    PI_AI_VERSION: holder.get().version
  }
}
