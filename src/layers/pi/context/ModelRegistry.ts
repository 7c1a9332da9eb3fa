/** `ctx.modelRegistry`: models, their keys, and calls to them. Extensions are trusted code, so they get keys as they are. */
import * as Option from "effect/Option"
import type { Model } from "../../../domain/model/Model.ts"
import * as Call from "../../machine/foreign/Call.ts"
import type { Instance } from "../instance/Instance.ts"
import { shown } from "../../machine/foreign/ForeignValue.ts"
import { options, plainOf, textIn, wantText } from "../instance/Values.ts"
import * as Providers from "../api/Providers.ts"

const readOnly = () => {
  throw new Error("heddle does not let extensions change stored credentials. Use `heddle auth` instead.")
}

const makeAuthStorage = ({ bridge: { read, run }, ports: { models } }: Instance) => {
  const getApiKey = (provider: unknown) => run(models.keyOf(wantText(provider, "provider")))
  const has = (provider: unknown) => read(models.hasKey(wantText(provider, "provider")))
  return {
    get: (provider: unknown) => {
      const key = read(models.keyOf(wantText(provider, "provider")))
      return key === undefined ? undefined : { type: "api_key", key }
    },
    has,
    hasAuth: has,
    getApiKey,
    list: () => [],
    set: readOnly,
    remove: readOnly,
    login: readOnly,
    logout: readOnly
  }
}

/** The model of the catalog that code of others names with an object of its own. */
const makeFind = ({ bridge: { read }, ports: { models } }: Instance) => {
  const find = (provider: unknown, id: unknown): Model | undefined =>
    Option.getOrUndefined(read(models.catalog.find(shown(provider), shown(id))))
  const known = (model: unknown): Model => {
    const { id, provider } = options(model)
    const found = find(provider, id)
    if (found === undefined) throw new Error(`Model not found: ${shown(provider)}/${shown(id)}`)
    return found
  }
  return { find, known }
}

export const make = (instance: Instance) => {
  const { bridge, ports } = instance
  const { models } = ports
  const { find, known } = makeFind(instance)
  const stream = (model: unknown, context: unknown, given?: unknown) => {
    instance.needActive("modelRegistry.stream")
    const wanted = options(given)
    const { signal } = wanted
    const { run, stream } = bridge.read(models.call(known(model), plainOf(context), options(plainOf(wanted))))
    const ended = bridge.run(run, { signal: Call.signalOf(signal) })
    // The stream tells how it ended.
    ended.catch(() => undefined)
    return stream
  }
  const complete = async (model: unknown, context: unknown, given?: unknown) => stream(model, context, given).result()
  const providerOf = (model: unknown) => textIn(options(model), "provider") ?? ""
  const authStorage = makeAuthStorage(instance)
  return {
    find,
    getAll: () => [...bridge.read(models.catalog.all)],
    getAvailable: () => [...bridge.read(models.catalog.available)],
    getError: () => undefined,
    getApiKeyAndHeaders: async (model: unknown) => bridge.run(models.auth(known(model))),
    getApiKey: async (model: unknown) => authStorage.getApiKey(providerOf(model)),
    getApiKeyForProvider: async (provider: unknown) => authStorage.getApiKey(provider),
    isUsingOAuth: (model: unknown) => bridge.read(models.isUsingOAuth(known(model))),
    hasConfiguredAuth: (model: unknown) => bridge.read(models.hasKey(providerOf(model))),
    getProviderDisplayName: shown,
    refresh: async () => undefined,
    stream,
    streamSimple: stream,
    complete,
    completeSimple: complete,
    registerProvider: Providers.register(instance),
    unregisterProvider: Providers.unregister(instance),
    authStorage
  }
}
