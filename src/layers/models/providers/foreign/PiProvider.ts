/** The argument of pi's `registerProvider(name, config)` as a configuration. `register` checks the fields. */
import * as Predicate from "effect/Predicate"
import type { ProviderConfig } from "../../../../services/model/ProviderRegistrations.ts"
import * as StreamSimple from "./StreamSimple.ts"

type Code = (...args: ReadonlyArray<unknown>) => unknown

const isCode = (value: unknown): value is Code => typeof value === "function"

/** Only the type is promised here: `RegisteredProvider.decode` looks at every field. */
const isConfig = (value: unknown): value is ProviderConfig => Predicate.isRecord(value)

/** Image models and classifiers cannot answer prompts. */
const isChat = (model: unknown): boolean =>
  !Predicate.hasProperty(model, "type") || model.type === undefined || model.type === "chat"

const kept = new Set(["name", "baseUrl", "api", "apiKey", "headers", "authHeader", "compat"])

/** Undefined if it is not an object. Logins and refreshing lists are not supported; the rest of such a config counts. */
export const configOf = (config: unknown): ProviderConfig | undefined => {
  if (!Predicate.isRecord(config)) return undefined
  const { apiKey, models, oauth, streamSimple } = config
  const made = {
    ...Object.fromEntries(Object.entries(config).filter(([key]) => kept.has(key))),
    // The token of a login that another program of the family stored.
    ...(apiKey === undefined && oauth !== undefined ? { auth: "apiKey" } : {}),
    ...(models === undefined ? {} : { models: Array.isArray(models) ? models.filter(isChat) : models }),
    ...(streamSimple === undefined
      ? {}
      : {
          stream: isCode(streamSimple)
            ? StreamSimple.make((...args) => Reflect.apply(streamSimple, config, args))
            : streamSimple
        })
  }
  return isConfig(made) ? made : undefined
}
