/** Key and headers of a model: for calls to it, and for extensions that call its server themselves. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Model } from "../../../domain/model/Model.ts"
import { keyAdvice } from "../../../domain/model/ProviderKeys.ts"
import { Credentials } from "../../../services/model/Credentials.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import { Catalog } from "../catalog/Catalog.ts"
import type { ConfigValueUnavailable } from "./ConfigValue.ts"
import type { Headers, ProviderEntry } from "../catalog/ProviderEntry.ts"

type Secrets = Readonly<Record<string, Redacted.Redacted>>
type Named = Pick<Model, "provider" | "id">

/** In clear, because it leaves heddle. */
export type RequestAuth =
  | {
      readonly ok: true
      readonly apiKey?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly baseUrl?: string
    }
  | { readonly ok: false; readonly error: string }

const none: Secrets = {}

export const resolveHeaders = (headers: Headers): Effect.Effect<Secrets, ConfigValueUnavailable> =>
  Effect.map(
    Effect.forEach(Object.entries(headers), ([name, { resolve }]) =>
      Effect.map(resolve, (value) => [name, value] as const)
    ),
    (resolved) => Object.fromEntries(resolved)
  )

export const bearerOf = (provider: ProviderEntry, apiKey: Option.Option<Redacted.Redacted>): Secrets =>
  provider.authHeader && Option.isSome(apiKey)
    ? { Authorization: Redacted.make(`Bearer ${Redacted.value(apiKey.value)}`) }
    : none

export const noKeyText = (provider: string): string => `No API key found for ${provider}. ${keyAdvice(provider)}`

const refused = (error: string): RequestAuth => ({ ok: false, error })

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const credentials = yield* Credentials
  const secrets = yield* KnownSecrets

  const resolve = Effect.fnUntraced(function* (model: Named) {
    const provider = catalog.providers.get(model.provider)
    if (provider === undefined) return refused(`No provider named "${model.provider}" is configured`)
    const { address, headers: own } = catalog.find(model.provider, model.id) ?? provider
    const apiKey = yield* credentials.find(provider.id)
    if (Option.isNone(apiKey) && !provider.keyless) return refused(noKeyText(provider.id))
    const headers = { ...bearerOf(provider, apiKey), ...(yield* resolveHeaders(own)) }
    for (const value of [...Option.toArray(apiKey), ...Object.values(headers)]) secrets.add(Redacted.value(value))
    const clear = Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)] as const)
    return {
      ok: true,
      ...(Option.isSome(apiKey) ? { apiKey: Redacted.value(apiKey.value) } : {}),
      ...(clear.length === 0 ? {} : { headers: Object.fromEntries(clear) }),
      ...(Redacted.value(address) === "" ? {} : { baseUrl: Redacted.value(address) })
    } satisfies RequestAuth
  })

  return {
    /** Never fails: the answer names what is missing. */
    getApiKeyAndHeaders: (model: Named): Effect.Effect<RequestAuth> =>
      Effect.catchAll(resolve(model), ({ message }) => Effect.succeed(refused(message))),
    getApiKeyForProvider: (provider: string): Effect.Effect<string | undefined> =>
      credentials.find(provider).pipe(
        Effect.map((key) => Option.getOrUndefined(Option.map(key, Redacted.value))),
        Effect.tap((key) => secrets.add(key)),
        Effect.orElseSucceed(() => undefined)
      ),
    /** Whether requests can be sent: there is a key, or none is needed. Runs no command. */
    hasConfiguredAuth: ({ provider }: Pick<Model, "provider">): Effect.Effect<boolean> =>
      catalog.providers.get(provider)?.keyless === true ? Effect.succeed(true) : credentials.has(provider),
    isUsingOAuth: ({ provider }: Pick<Model, "provider">): Effect.Effect<boolean> =>
      credentials.isOAuth?.(provider) ?? Effect.succeed(false)
  }
})

export type ModelAuth = Effect.Effect.Success<typeof make>
