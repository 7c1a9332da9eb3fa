/** Providers that an extension brings, or whose address it changes. */
import type { JsonObject } from "../../../../domain/conversation/Content.ts"
import type { ForeignProvider } from "../../Ports.ts"
import type { Instance } from "../Instance.ts"
import { handlerIn, isRecord, member, textIn, wantRecord, wantText } from "../Values.ts"
import * as Slots from "./Slots.ts"

const headersIn = (definition: JsonObject) => {
  const { headers } = definition
  if (!isRecord(headers)) return {}
  const texts = Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return { headers: Object.fromEntries(texts) }
}

/** The object form of a provider answers a function with its models. */
const modelsIn = (definition: JsonObject): ReadonlyArray<unknown> | undefined => {
  const models = definition["models"] ?? handlerIn(definition, "getModels")?.()
  return Array.isArray(models) ? models : undefined
}

const providerOf = (definition: JsonObject): ForeignProvider => ({
  ...member("name", textIn(definition, "name")),
  ...member("baseUrl", textIn(definition, "baseUrl")),
  ...member("api", textIn(definition, "api")),
  ...member("apiKey", textIn(definition, "apiKey")),
  ...headersIn(definition),
  ...(definition["authHeader"] === true ? { authHeader: true } : {}),
  ...member("models", modelsIn(definition)),
  ...member("streamSimple", handlerIn(definition, "streamSimple"))
})

const known = new WeakMap<Instance, Slots.Slots>()

const slotsOf = (instance: Instance): Slots.Slots => {
  const slots = known.get(instance) ?? Slots.make(instance, "registerProvider")
  known.set(instance, slots)
  return slots
}

export const register =
  (instance: Instance) =>
  (given: unknown, config?: unknown): void => {
    instance.needLive()
    const definition = wantRecord(isRecord(given) ? given : config, "registerProvider: the provider")
    const name = wantText(isRecord(given) ? given["id"] : given, "registerProvider: name")
    const provider = providerOf(definition)
    slotsOf(instance).put(name, () => instance.ports.providers.register(name, provider))
  }

/** Takes away what the extension registered, or a provider of that name from elsewhere. */
export const unregister =
  (instance: Instance) =>
  (given: unknown): void => {
    const { bridge, needLive, ports, report } = instance
    needLive()
    const name = wantText(given, "unregisterProvider: name")
    slotsOf(instance).remove(name)
    bridge.fire(ports.providers.unregister(name), (message) => report("unregisterProvider", message))
  }
