/** Built-in providers and models with the user's models.json over them (protocol.md 16.1). Pure. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BaseUrl from "../../../domain/model/BaseUrl.ts"
import type { Model } from "../../../domain/model/Model.ts"
import { zeroTokens } from "../../../domain/model/Usage.ts"
import { type BuiltInModel, builtInModels } from "./builtInModels.ts"
import { builtInProviders } from "./builtInProviders.ts"
import type { ConfigValue } from "../keys/ConfigValue.ts"
import type { CustomModel, CustomProvider, ModelsFile, Override } from "./ModelsFile.ts"
import type { Endpoint, Headers, ModelEntry, ProviderEntry } from "./ProviderEntry.ts"

export interface Sources {
  readonly file: ModelsFile
  /** The path of the file, for messages. */
  readonly path: string
  /** Addresses from the environment, by provider. */
  readonly addresses: ReadonlyMap<string, string>
  readonly valueOf: ValueOf
}

/** Makes the value of a text in the file; `where` is the path to it, for messages. */
export type ValueOf = (text: string, where: string) => ConfigValue

export interface Merged {
  readonly providers: ReadonlyMap<string, ProviderEntry>
  readonly models: ReadonlyArray<ModelEntry>
  readonly problems: ReadonlyArray<string>
  /** `modelOverrides` of the file once more: they also count for models that are registered later. */
  readonly overrides: ReadonlyMap<string, (entry: ModelEntry) => ModelEntry>
}

export const isLoopback = (address: string): boolean =>
  /^https?:\/\/([^/?#]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/?]|$)/i.test(address)

export const values = (
  valueOf: ValueOf,
  headers: Readonly<Record<string, string>> | undefined,
  where: string
): Headers =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, text]) => [name, valueOf(text, `${where}.headers.${name}`)])
  )

/** The address as hosts see it, and as requests use it. */
export const at = (url: string) => ({ baseUrl: BaseUrl.mask(url), address: Redacted.make(url) })

export const plain = (endpoint: Endpoint): ProviderEntry => ({
  ...endpoint,
  ...at(endpoint.baseUrl),
  apiKey: Option.none(),
  headers: {},
  authHeader: false
})

/** A provider that only the file has. It needs no key if its server is on this machine. */
export const fresh = (id: string, baseUrl: string): Endpoint => ({
  id,
  baseUrl,
  api: "",
  keyless: isLoopback(baseUrl),
  open: false,
  compat: {},
  addressVariables: []
})

const overlay = (
  valueOf: ValueOf,
  base: ProviderEntry,
  { settings }: CustomProvider,
  where: string
): ProviderEntry => ({
  ...base,
  ...(settings.baseUrl === undefined ? {} : at(settings.baseUrl)),
  api: settings.api ?? base.api,
  keyless: settings.auth === undefined ? base.keyless && settings.apiKey === undefined : settings.auth === "none",
  compat: { ...base.compat, ...settings.compat },
  apiKey: Option.map(Option.fromNullable(settings.apiKey), (text) => valueOf(text, `${where}.apiKey`)),
  headers: values(valueOf, settings.headers, where),
  authHeader: settings.authHeader ?? false
})

const builtIn = (provider: ProviderEntry, model: BuiltInModel): ModelEntry => ({
  model: { ...model, api: provider.api, provider: provider.id, baseUrl: provider.baseUrl },
  address: provider.address,
  compat: provider.compat,
  headers: provider.headers
})

/** The assumptions about a model of which only the id is known. */
export const unknownModel = (provider: ProviderEntry, id: string): ModelEntry =>
  builtIn(provider, {
    id,
    name: id,
    reasoning: false,
    input: ["text"],
    cost: zeroTokens,
    costUnknown: true,
    contextWindow: 128_000,
    maxTokens: 16_384
  })

/** The model with these prices; those that are not given stay as they are. */
const priced = (model: Model, cost: Override["cost"] = {}): Model => {
  if (Object.keys(cost).length === 0) return model
  const { costUnknown: _unknown, ...known } = model
  return { ...known, cost: { ...model.cost, ...cost } }
}

const override = (
  valueOf: ValueOf,
  entry: ModelEntry,
  { compat, cost, headers, ...rest }: Override,
  where: string
): ModelEntry => ({
  ...entry,
  model: { ...priced(entry.model, cost), ...rest },
  compat: { ...entry.compat, ...compat },
  headers: { ...entry.headers, ...values(valueOf, headers, where) }
})

export const custom = (
  valueOf: ValueOf,
  provider: ProviderEntry,
  { api, baseUrl, id, ...rest }: CustomModel,
  where: string
): ModelEntry => {
  const reached = { ...provider, ...(baseUrl === undefined ? {} : at(baseUrl)), api: api ?? provider.api }
  return override(valueOf, unknownModel(reached, id), rest, where)
}

export const unreachable = ({ model }: ModelEntry): string | undefined => {
  if (model.baseUrl === "") return "has no baseUrl, and neither has its provider"
  return model.api === "" ? "has no api, and neither has its provider" : undefined
}

export const merge = ({ addresses, file, path, valueOf }: Sources): Merged => {
  const problems = [...file.problems]
  const providers = new Map<string, ProviderEntry>()
  const models = new Map<string, ModelEntry>()
  const overrides = new Map<string, (entry: ModelEntry) => ModelEntry>()
  const key = (model: Model) => `${model.provider}/${model.id}`
  const add = (entry: ModelEntry) => models.set(key(entry.model), entry)
  const inFile = new Map(file.providers.map((provider) => [provider.id, provider]))
  const addProvider = (endpoint: Endpoint) => {
    const mine = inFile.get(endpoint.id)
    const base = plain({ ...endpoint, baseUrl: addresses.get(endpoint.id) ?? endpoint.baseUrl })
    const provider = mine === undefined ? base : overlay(valueOf, base, mine, `${path}: providers.${endpoint.id}`)
    providers.set(endpoint.id, provider)
    for (const model of builtInModels[endpoint.id] ?? []) add(builtIn(provider, model))
    return provider
  }
  for (const endpoint of builtInProviders) addProvider(endpoint)
  for (const mine of file.providers) {
    const provider = providers.get(mine.id) ?? addProvider(fresh(mine.id, mine.settings.baseUrl ?? ""))
    const where = `providers.${mine.id}`
    mine.models.forEach((model, index) => {
      const entry = custom(valueOf, provider, model, `${path}: ${where}.models[${index}]`)
      const problem = unreachable(entry)
      if (problem === undefined) add(entry)
      else problems.push(`${where}.models[${index}]: ${problem}`)
    })
    for (const [id, changes] of mine.overrides) {
      const label = `${mine.id}/${id}`
      const entry = models.get(label)
      const change = (before: ModelEntry) =>
        override(valueOf, before, changes, `${path}: ${where}.modelOverrides.${id}`)
      overrides.set(label, change)
      if (entry === undefined) problems.push(`${where}.modelOverrides.${id}: there is no such model to override`)
      else add(change(entry))
    }
  }
  return {
    providers,
    models: [...models.values()],
    problems: problems.map((problem) => `${path}: ${problem}`),
    overrides
  }
}
