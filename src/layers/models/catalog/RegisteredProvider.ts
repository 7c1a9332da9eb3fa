/** A registration as values: checked like an entry of models.json, and as a change to the provider of its name. Pure. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { defined } from "../../../domain/Values.ts"
import type { ProviderConfig } from "../../../services/model/ProviderRegistrations.ts"
import { at, custom, fresh, isLoopback, plain, unreachable, type ValueOf, values } from "./CatalogMerge.ts"
import * as ConfigValue from "../keys/ConfigValue.ts"
import * as ModelsFile from "./ModelsFile.ts"
import type { Change, Headers, ModelEntry, ProviderEntry, ProviderModels } from "./ProviderEntry.ts"

type Problems = ReadonlyArray<string>
type Settings = ModelsFile.CustomProvider["settings"]

/** A registration that was checked. Absent members leave the provider as it is. */
export interface Registration {
  readonly name?: string
  readonly settings: Settings
  readonly apiKey?: ConfigValue.ConfigValue
  readonly headers: Headers
  readonly models?: ReadonlyArray<ModelsFile.CustomModel>
  readonly stream?: NonNullable<ProviderConfig["stream"]>
}

/** As many as discovery takes from a server. */
const mostModels = 5000
const longestName = 200

const pick = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([key, member]) => keys.includes(key) && member !== undefined))
    : value

const withCompat = (value: unknown): unknown =>
  Predicate.isRecord(value) && value["compat"] !== undefined
    ? { ...value, compat: pick(value["compat"], ModelsFile.keys.compat) }
    : value

const modelOf = (model: unknown): unknown => withCompat(pick(model, ModelsFile.keys.model))

const nameProblem = (name: string): string | undefined => {
  if (name === "" || name.length > longestName) return `the name must have 1 to ${longestName} characters`
  return /[\s/\p{Cc}]/u.test(name) ? "the name must not have spaces or slashes" : undefined
}

const ownProblems = (name: string, { models, name: display, stream }: ProviderConfig): Problems => {
  const problems = [nameProblem(name) ?? []].flat()
  if (stream !== undefined && typeof stream !== "function") problems.push("stream: Expected a function")
  if (display !== undefined && typeof display !== "string") problems.push("name: Expected string")
  if (Array.isArray(models) && models.length > mostModels) problems.push(`models: more than ${mostModels}`)
  return problems
}

/** The configuration as models.json would have it. */
const documentOf = (name: string, config: ProviderConfig): unknown => {
  const { apiKey, models } = config
  const entry = withCompat(pick(config, ModelsFile.keys.provider))
  return {
    providers: {
      [name]: {
        ...(Predicate.isRecord(entry) ? entry : {}),
        ...(Redacted.isRedacted(apiKey) ? { apiKey: Redacted.value(apiKey) } : {}),
        ...(models === undefined ? {} : { models: Array.isArray(models) ? models.map(modelOf) : models })
      }
    }
  }
}

const keyOf = (config: ProviderConfig, settings: Settings, valueOf: ValueOf, where: string) => {
  if (Redacted.isRedacted(config.apiKey)) return { apiKey: ConfigValue.literal(config.apiKey, `${where}.apiKey`) }
  return settings.apiKey === undefined ? {} : { apiKey: valueOf(settings.apiKey, `${where}.apiKey`) }
}

export const placeOf = (name: string) => `registered provider ${name}`

/** The types of the configuration promise nothing: extensions are written in JavaScript, too. */
export const decode = (
  name: string,
  config: ProviderConfig,
  valueOf: ValueOf
): Either.Either<Registration, Problems> => {
  const own = ownProblems(name, config)
  if (own.length > 0) return Either.left(own)
  const { problems, providers } = ModelsFile.decode(documentOf(name, config))
  const [provider] = providers
  if (problems.length > 0 || provider === undefined) {
    const prefix = `providers.${name}`
    return Either.left(
      problems.map((problem) =>
        problem.startsWith(prefix) ? problem.slice(prefix.length).replace(/^\./, "") : problem
      )
    )
  }
  const { models, settings } = provider
  const where = placeOf(name)
  return Either.right({
    settings,
    ...keyOf(config, settings, valueOf, where),
    headers: values(valueOf, settings.headers, where),
    ...defined({ name: config.name, models: config.models && models, stream: config.stream })
  })
}

/** A field that the later registration leaves out keeps its value. */
export const over = (earlier: Registration, later: Registration): Registration => ({
  ...earlier,
  ...later,
  settings: { ...earlier.settings, ...later.settings },
  headers: { ...earlier.headers, ...later.headers }
})

const needsNoKey = ({ apiKey, settings, stream }: Registration, before: ProviderEntry | undefined): boolean => {
  if (settings.auth !== undefined) return settings.auth === "none"
  if (apiKey !== undefined) return false
  return before?.keyless ?? (stream !== undefined || isLoopback(settings.baseUrl ?? ""))
}

const movedTo = (id: string, baseUrl: string) => ({
  ...at(baseUrl),
  addressPlaces: `the baseUrl that ${id} is registered with`
})

const providerOf = (id: string, registration: Registration, before: ProviderEntry | undefined): ProviderEntry => {
  const { apiKey, headers, name, settings, stream } = registration
  const base = before ?? plain(fresh(id, settings.baseUrl ?? ""))
  // Code of its own needs no protocol, but its models need a name for the one that they speak.
  const api = base.api === "" && stream !== undefined ? id : base.api
  return {
    ...base,
    ...(settings.baseUrl === undefined ? {} : movedTo(id, settings.baseUrl)),
    isRegistered: true,
    ...defined({ name, stream }),
    api: settings.api ?? api,
    keyless: needsNoKey(registration, before),
    compat: { ...base.compat, ...settings.compat },
    apiKey: Option.orElse(Option.fromNullable(apiKey), () => base.apiKey),
    headers: { ...base.headers, ...headers },
    authHeader: settings.authHeader ?? base.authHeader
  }
}

const redirected = (entry: ModelEntry, { headers, settings }: Registration): ModelEntry => {
  const moved = settings.baseUrl === undefined ? undefined : at(settings.baseUrl)
  return {
    model: moved === undefined ? entry.model : { ...entry.model, baseUrl: moved.baseUrl },
    address: moved?.address ?? entry.address,
    compat: { ...entry.compat, ...settings.compat },
    headers: { ...entry.headers, ...headers }
  }
}

export interface Applied extends ProviderModels {
  readonly provider: ProviderEntry
  readonly problems: Problems
}

/** Models that cannot be reached are problems, and are left out. */
export const apply = (id: string, registration: Registration, before: ProviderModels, valueOf: ValueOf): Applied => {
  const provider = providerOf(id, registration, before.provider)
  const { models } = registration
  if (models === undefined) {
    const kept = before.models.map((entry) => redirected(entry, registration))
    return { provider, models: kept, problems: [] }
  }
  const problems: Array<string> = []
  const entries = models.flatMap((model, index) => {
    const entry = custom(valueOf, provider, model, `${placeOf(id)}: models[${index}]`)
    const isOwn = provider.stream !== undefined && entry.model.api === provider.api
    const problem = isOwn ? undefined : unreachable(entry)
    if (problem === undefined) return [entry]
    problems.push(`models[${index}]: ${problem}`)
    return []
  })
  return { provider, models: entries, problems }
}

export const changeOf =
  (id: string, registration: Registration, valueOf: ValueOf): Change =>
  (before) =>
    apply(id, registration, before, valueOf)
