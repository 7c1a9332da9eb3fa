/** All providers and models: built in, from the user's file, discovered later, and registered. Owned by the process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BaseUrl from "../../../domain/model/BaseUrl.ts"
import { Processes } from "../../../services/machine/Processes.ts"
import * as Environment from "../../machine/processes/Environment.ts"
import { type Files, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import { builtInProviders } from "./builtInProviders.ts"
import { merge, type Merged } from "./CatalogMerge.ts"
import * as ConfigValue from "../keys/ConfigValue.ts"
import { decode, type ModelsFile } from "./ModelsFile.ts"
import type { Change, ModelEntry, ProviderEntry, ProviderModels } from "./ProviderEntry.ts"

export class Catalog extends Context.Tag("heddle/layers/models/catalog/Catalog")<
  Catalog,
  {
    /** The same map all the time: registrations change its entries. */
    readonly providers: ReadonlyMap<string, ProviderEntry>
    /** In the order in which models are offered. */
    readonly models: Effect.Effect<ReadonlyArray<ModelEntry>>
    readonly find: (provider: string, modelId: string) => ModelEntry | undefined
    /** Ignores models that are already known. */
    readonly add: (entries: ReadonlyArray<ModelEntry>) => Effect.Effect<void>
    /** The providers as they would be without registrations. */
    readonly unchanged: (provider: string) => ProviderModels
    /** Replaces all changes that registrations make, by provider. */
    readonly change: (changes: ReadonlyMap<string, Change>) => void
  }
>() {}

export interface BuiltInOptions {
  /** Replaces the address of one provider. */
  readonly address?: { readonly provider: string; readonly baseUrl: string }
}

export interface CatalogOptions extends BuiltInOptions {
  readonly agentDir: string
}

const indexOf = (models: ReadonlyArray<ModelEntry>): ReadonlyMap<string, ReadonlyMap<string, ModelEntry>> => {
  const index = new Map<string, Map<string, ModelEntry>>()
  for (const entry of models) {
    const { id, provider } = entry.model
    const ofProvider = index.get(provider) ?? new Map<string, ModelEntry>()
    index.set(provider, ofProvider)
    // Of two models with the same name, the first one counts.
    if (!ofProvider.has(id)) ofProvider.set(id, entry)
  }
  return index
}

const addresses = Effect.fnUntraced(function* ({ address: given }: BuiltInOptions) {
  const addresses = new Map<string, string>()
  for (const { addressVariables, id } of builtInProviders) {
    for (const name of addressVariables) {
      const address = yield* Environment.variable(name)
      if (Option.isSome(address)) addresses.set(id, address.value)
    }
  }
  if (given !== undefined) addresses.set(given.provider, given.baseUrl)
  return addresses
})

const none: ModelsFile = { providers: [], problems: [] }
const unusable = (reason: string): ModelsFile => ({ providers: [], problems: [reason] })

const parse = (path: string, text: string) =>
  Either.match(ReadText.parse(path, text), {
    // The parser's message repeats parts of the file, which may hold keys.
    onLeft: () => unusable(`is not valid ${ReadText.language(path)}`),
    onRight: (document) => decode(document)
  })

const names = ["models.json", "models.jsonc", "models.yml", "models.yaml"]

/** Reads the first of the files that exists. Most people have none, so looking for them is cheap. */
const readFile = Effect.fnUntraced(function* (files: Files, agentDir: string) {
  const paths = names.map((name) => `${agentDir}/${name}`)
  for (const path of yield* ReadText.present(files, paths)) {
    const text = yield* Effect.either(ReadText.readIfPresent(files, path))
    if (Either.isLeft(text)) return { path, file: unusable(text.left.reason) }
    if (Option.isSome(text.right)) return { path, file: parse(path, text.right.value) }
  }
  return { path: "", file: none }
})

export const hide = ({ add }: typeof KnownSecrets.Service, address: Redacted.Redacted) =>
  BaseUrl.secretsOf(Redacted.value(address)).forEach(add)

/** The list with the provider's models replaced. They stay in the start of the first of them. */
const replaced = (listed: ReadonlyArray<ModelEntry>, provider: string, models: ReadonlyArray<ModelEntry>) => {
  const isOurs = ({ model }: ModelEntry) => model.provider === provider
  const at = listed.findIndex(isOurs)
  const start = at < 0 ? listed.length : at
  return [...listed.slice(0, start), ...models, ...listed.slice(start).filter((entry) => !isOurs(entry))]
}

const of = ({ models: given, overrides, providers: configured }: Omit<Merged, "problems">) => {
  const providers = new Map(configured)
  let changes: ReadonlyMap<string, Change> = new Map()
  /** Without registrations. */
  let base = given
  let models = base
  let index = indexOf(models)
  const overridden = (entry: ModelEntry) => overrides.get(`${entry.model.provider}/${entry.model.id}`)?.(entry) ?? entry
  const unchanged = (provider: string): ProviderModels => ({
    provider: configured.get(provider),
    models: base.filter(({ model }) => model.provider === provider)
  })
  const settle = () => {
    models = base
    providers.clear()
    for (const [id, entry] of configured) providers.set(id, entry)
    for (const [id, change] of changes) {
      const changed = change(unchanged(id))
      if (changed.provider !== undefined) providers.set(id, changed.provider)
      models = replaced(models, id, changed.models.map(overridden))
    }
    index = indexOf(models)
  }
  return Catalog.of({
    providers,
    models: Effect.sync(() => models),
    find: (provider, modelId) => index.get(provider)?.get(modelId),
    add: (entries) =>
      Effect.sync(() => {
        const known = indexOf(base)
        base = [...base, ...entries.filter(({ model }) => !known.get(model.provider)?.has(model.id))]
        settle()
      }),
    unchanged,
    change: (next) => {
      changes = next
      settle()
    }
  })
}

const withFile = Effect.fnUntraced(function* (path: string, file: ModelsFile, options: BuiltInOptions) {
  const processes = yield* Processes
  const valueOf = (text: string, where: string) => ConfigValue.make(text, where, processes)
  const merged = merge({ file, path, addresses: yield* addresses(options), valueOf })
  const secrets = yield* KnownSecrets
  for (const { address } of merged.providers.values()) hide(secrets, address)
  for (const { address } of merged.models) hide(secrets, address)
  for (const problem of merged.problems) yield* Effect.logWarning(`ignored in the models file: ${problem}`)
  return of(merged)
})

export const make = Effect.fnUntraced(function* (options: CatalogOptions) {
  const { file, path } = yield* readFile(yield* OwnFiles, options.agentDir)
  return yield* withFile(path, file, options)
})

export const layer = (options: CatalogOptions) => Layer.effect(Catalog, make(options))

/** The built-in providers and models. No file is read. */
export const layerBuiltIn = (options: BuiltInOptions = {}) => Layer.effect(Catalog, withFile("", none, options))

/** An empty catalogue, for a program that brings its own providers. */
export const layerEmpty = Layer.sync(Catalog, () => of({ providers: new Map(), models: [], overrides: new Map() }))
