/** Providers that an extension brings, or whose address it changes. */
import type { JsonObject } from "../../../domain/conversation/Content.ts"
import { defined } from "../../../domain/Values.ts"
import type { Instance } from "../instance/Instance.ts"
import { handlerIn, isRecord, plainOf, textIn, wantRecord, wantText } from "../instance/Values.ts"
import * as Slots from "./Slots.ts"

/** The object form of a provider has its members in a class, perhaps, and answers a function with its models. */
const configOf = (provider: JsonObject): JsonObject =>
  defined({
    name: textIn(provider, "name"),
    baseUrl: textIn(provider, "baseUrl"),
    api: textIn(provider, "api"),
    apiKey: textIn(provider, "apiKey"),
    headers: provider["headers"],
    models: handlerIn(provider, "getModels")?.() ?? provider["models"],
    streamSimple: handlerIn(provider, "streamSimple")
  })

/** Its data without code, and its functions. */
const plainly = (config: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(config).map((key) => [key, handlerIn(config, key) ?? plainOf(config[key])]))

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
    const definition = plainly(isRecord(given) ? configOf(given) : wantRecord(config, "registerProvider: the provider"))
    const name = wantText(isRecord(given) ? given["id"] : given, "registerProvider: name")
    slotsOf(instance).put(name, () => instance.ports.providers.register(name, definition))
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
