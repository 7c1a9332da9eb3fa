/** `ModelCatalog` and `ModelClient` over providers with their own code and catalogue entries that a protocol serves. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Model } from "../../domain/model/Model.ts"
import { Credentials } from "../../services/model/Credentials.ts"
import { ModelCatalog } from "../../services/model/ModelCatalog.ts"
import {
  ModelClient,
  ModelFailure,
  type ModelFailureReason,
  type ModelRequest,
  type Opened
} from "../../services/model/ModelClient.ts"
import { firstSuccess } from "../Sharing.ts"
import * as Catalog from "../models/Catalog.ts"
import * as KeyRing from "../models/KeyRing.ts"
import * as ModelAuth from "../models/ModelAuth.ts"
import type { Headers, ModelEntry, ProviderEntry } from "../models/ProviderEntry.ts"
import type { Connection, Protocol } from "./Protocol.ts"

/** The models that a provider adds to the catalogue. */
export interface Offer {
  readonly id: string
  /** A provider that needs no key is always available. */
  readonly needsKey: boolean
  readonly models: ReadonlyArray<Model>
}

/** A plain value: there are many of them, and a service tag is one per runtime. */
export interface Provider extends Offer {
  readonly stream: (request: ModelRequest) => Opened
}

export interface RegistryOptions {
  /** Listed after the models of the catalogue. */
  readonly providers: ReadonlyArray<Provider>
  /** Loaded at the first call that needs one. */
  readonly protocols: Effect.Effect<ReadonlyArray<Protocol>>
}

const failure = ({ id, provider }: Model, reason: ModelFailureReason, message: string) =>
  new ModelFailure({ reason, message, provider, model: id })

export const makeCatalog = Effect.fnUntraced(function* (providers: ReadonlyArray<Offer>) {
  const catalog = yield* Catalog.Catalog
  const credentials = yield* Credentials
  const own = providers.flatMap(({ models }) => models)
  const owners = providers.map(({ id, needsKey }) => ({ id, keyless: !needsKey }))
  const all = Effect.map(catalog.models, (entries) => [...entries.map(({ model }) => model), ...own])
  const isUsable = (entry: { readonly id: string; readonly keyless: boolean }) =>
    entry.keyless ? Effect.succeed(true) : credentials.has(entry.id)
  return ModelCatalog.of({
    all,
    available: Effect.gen(function* () {
      const usable = yield* Effect.filter([...catalog.providers.values(), ...owners], isUsable)
      const ids = new Set(usable.map(({ id }) => id))
      return (yield* all).filter(({ provider }) => ids.has(provider))
    }),
    isAvailable: ({ provider }) => {
      const entry = catalog.providers.get(provider) ?? owners.find(({ id }) => id === provider)
      return entry === undefined ? Effect.succeed(false) : isUsable(entry)
    },
    find: (provider, modelId) =>
      Effect.sync(() =>
        Option.fromNullable(
          catalog.find(provider, modelId)?.model ??
            own.find((model) => model.provider === provider && model.id === modelId)
        )
      )
  })
})

const resolveAll = (model: Model, headers: Headers) =>
  Effect.mapError(ModelAuth.resolveHeaders(headers), ({ message }) => failure(model, "configuration", message))

const placesOf = ({ addressPlaces, addressVariables, id }: ProviderEntry): string =>
  addressPlaces ?? [...addressVariables, `providers.${id}.baseUrl in models.json`].join(" or ")

/** The model, with address and protocol of its entry: a session may have chosen it before they were changed. */
const inForce = (model: Model, provider: ProviderEntry, entry: ModelEntry | undefined): Model => {
  if (entry === undefined || provider.isRegistered !== true) return model
  const { api, baseUrl } = entry.model
  return api === model.api && baseUrl === model.baseUrl ? model : { ...model, api, baseUrl }
}

/** A registered provider with code of its own serves its models like a protocol. */
const ownProtocol = ({ api, stream }: ProviderEntry, address: Redacted.Redacted): Protocol | undefined =>
  stream === undefined
    ? undefined
    : { api, stream: (request, { apiKey, headers }) => stream(request, { apiKey, headers, address }) }

/** The parts of a model's connection that its key does not change. */
interface Route extends Pick<Connection, "address" | "compat" | "addressPlaces"> {
  readonly provider: ProviderEntry
  readonly protocol: Protocol
  readonly headers: Headers
  /** The model with the address and the protocol that are in force. */
  readonly model: Model
}

export const makeClient = Effect.fnUntraced(function* ({ protocols, providers }: RegistryOptions) {
  const catalog = yield* Catalog.Catalog
  const credentials = yield* Credentials
  const byId = new Map(providers.map((provider) => [provider.id, provider]))
  const spoken = firstSuccess(protocols)

  const protocolOf = (model: Model, provider: ProviderEntry, all: ReadonlyArray<Protocol>) => {
    const protocol = all.find(({ api }) => api === model.api)
    if (protocol === undefined) {
      const known = all.map(({ api }) => api).join(", ")
      return Either.left(
        `${model.provider}/${model.id} uses the api "${model.api}", which heddle does not support. Change it in models.json to one of: ${known}`
      )
    }
    if (model.baseUrl !== "") return Either.right(protocol)
    return Either.left(`${provider.id} has no address: set ${placesOf(provider)}`)
  }

  const findRoute = (model: Model): Effect.Effect<Route, ModelFailure> => {
    const provider = catalog.providers.get(model.provider)
    if (provider === undefined) {
      return failure(model, "configuration", `No provider named "${model.provider}" is configured`)
    }
    const entry = catalog.find(model.provider, model.id)
    const { address, compat, headers } = entry ?? provider
    const current = inForce(model, provider, entry)
    const own = current.api === provider.api ? ownProtocol(provider, address) : undefined
    const routeWith = (protocol: Protocol): Route => ({
      provider,
      protocol,
      ...(Redacted.value(address) === current.baseUrl ? {} : { address }),
      compat,
      addressPlaces: placesOf(provider),
      headers,
      model: current
    })
    if (own !== undefined) return Effect.succeed(routeWith(own))
    return Effect.flatMap(spoken, (all) =>
      Either.match(protocolOf(current, provider, all), {
        onLeft: (problem) => failure(model, "configuration", problem),
        onRight: (protocol) => Effect.succeed(routeWith(protocol))
      })
    )
  }

  /** Looks keys and headers up for each request, so that a changed key takes effect at once. */
  const openCall = (asked: ModelRequest, route: Route) => {
    const { headers: own, model, protocol, provider, ...parts } = route
    const request = asked.model === model ? asked : { ...asked, model }
    return Effect.matchEffect(credentials.find(provider.id), {
      onFailure: ({ message }) => failure(model, "authentication", message),
      onSuccess: (apiKey) => {
        if (Option.isNone(apiKey) && !provider.keyless) {
          return failure(model, "authentication", ModelAuth.noKeyText(provider.id))
        }
        const bearer = ModelAuth.bearerOf(provider, apiKey)
        // Most models have no headers of their own.
        if (Object.keys(own).length === 0) return protocol.stream(request, { ...parts, apiKey, headers: bearer })
        return Effect.flatMap(resolveAll(model, own), (resolved) =>
          protocol.stream(request, { ...parts, apiKey, headers: { ...bearer, ...resolved } })
        )
      }
    })
  }

  return ModelClient.of({
    stream: (request) => {
      const { id, provider } = request.model
      const own = byId.get(provider)
      if (own !== undefined && catalog.find(provider, id) === undefined) return own.stream(request)
      return Effect.flatMap(findRoute(request.model), (found) => openCall(request, found))
    }
  })
})

/** `ModelCatalog` over a `Catalog` and these providers. */
export const layerCatalog = (providers: ReadonlyArray<Offer>) => Layer.effect(ModelCatalog, makeCatalog(providers))

export const layerClient = (options: RegistryOptions) => Layer.effect(ModelClient, makeClient(options))

export const layer = (options: RegistryOptions) => Layer.merge(layerCatalog(options.providers), layerClient(options))

/** Only these providers: files and environment of the user are not read. */
export const layerOwn = (providers: ReadonlyArray<Provider>) =>
  layer({ providers, protocols: Effect.succeed([]) }).pipe(Layer.provide([Catalog.layerEmpty, KeyRing.layerEmpty]))
