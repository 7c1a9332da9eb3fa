/** Where keys come from, best first: the command line, auth.json, the environment, models.json (protocol.md 16.3). */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { keyVariables } from "../../domain/ProviderKeys.ts"
import { Credentials, KeyUnavailable } from "../../services/Credentials.ts"
import * as Environment from "../platform/Environment.ts"
import * as AuthFile from "./AuthFile.ts"
import { Catalog } from "./Catalog.ts"

export interface KeyRingOptions {
  readonly agentDir: string
  /** The key of `--api-key` and the provider that it was given for. */
  readonly runtime?: { readonly provider: string; readonly key: Redacted.Redacted }
}

export interface Located {
  /** For people: `auth.json`, `environment OPENAI_API_KEY`, `models.json`, `--api-key`. */
  readonly source: string
  readonly key: Effect.Effect<Redacted.Redacted, KeyUnavailable>
}

const fromEnvironment = Effect.fnUntraced(function* (provider: string) {
  for (const name of keyVariables(provider)) {
    const key = yield* Environment.variable(name)
    if (Option.isSome(key)) {
      const located: Located = { source: `environment ${name}`, key: Effect.succeed(Redacted.make(key.value)) }
      return Option.some(located)
    }
  }
  return Option.none<Located>()
})

/** Finds keys without resolving them. */
export const makeLocate = Effect.fnUntraced(function* ({ agentDir, runtime }: KeyRingOptions) {
  const { providers } = yield* Catalog
  const stored = yield* AuthFile.watch(AuthFile.pathIn(agentDir))

  const fromModelsFile = Effect.fnUntraced(function* (provider: string) {
    const value = Option.flatMap(Option.fromNullable(providers.get(provider)), ({ apiKey }) => apiKey)
    if (Option.isNone(value) || !(yield* value.value.isPresent)) return Option.none<Located>()
    const key = Effect.mapError(
      value.value.resolve,
      ({ message }) => new KeyUnavailable({ provider, message: `No API key for ${provider}: ${message}` })
    )
    return Option.some<Located>({ source: "models.json", key })
  })

  return Effect.fnUntraced(function* (provider: string) {
    if (runtime?.provider === provider) {
      return Option.some<Located>({ source: "--api-key", key: Effect.succeed(runtime.key) })
    }
    const kept = (yield* stored).get(provider)
    if (kept !== undefined) return Option.some<Located>({ source: "auth.json", key: Effect.succeed(kept) })
    const inEnvironment = yield* fromEnvironment(provider)
    return Option.isSome(inEnvironment) ? inEnvironment : yield* fromModelsFile(provider)
  })
})

export const make = Effect.fnUntraced(function* (options: KeyRingOptions) {
  const locate = yield* makeLocate(options)
  return Credentials.of({
    has: (provider) => Effect.map(locate(provider), Option.isSome),
    find: (provider) =>
      Effect.flatMap(
        locate(provider),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: ({ key }) => Effect.asSome(key)
        })
      )
  })
})

export const layer = (options: KeyRingOptions) => Layer.effect(Credentials, make(options))
