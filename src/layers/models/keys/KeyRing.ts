/**
 * Where keys come from, best first: the command line, auth.json, the environment, `.env`, a registration or models.json
 * (protocol.md 16.3).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { keyVariables } from "../../../domain/model/ProviderKeys.ts"
import { Credentials, KeyUnavailable } from "../../../services/model/Credentials.ts"
import { firstSuccess } from "../../Sharing.ts"
import * as EnvFiles from "../../machine/files/own/EnvFiles.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Environment from "../../machine/processes/Environment.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import * as AuthFile from "./AuthFile.ts"
import { Catalog } from "../catalog/Catalog.ts"
import type { ConfigValue, ConfigValueUnavailable } from "./ConfigValue.ts"

type Variables = typeof Environment.Environment.Service

export interface KeyRingOptions {
  readonly agentDir: string
  /** Folders whose `.env` is read for variables that the environment lacks, best first. */
  readonly envFolders?: ReadonlyArray<string>
  /** A trusted project, whose `.env` comes before those. */
  readonly project?: string
  /** The key of `--api-key` and the provider that it was given for. */
  readonly runtime?: { readonly provider: string; readonly key: Redacted.Redacted }
}

export interface Located {
  /** For people: `auth.json`, `environment OPENAI_API_KEY`, `<path>/.env OPENAI_API_KEY`, `models.json`, `--api-key`. */
  readonly source: string
  readonly key: Effect.Effect<Option.Option<Redacted.Redacted>, KeyUnavailable>
}

interface Variable {
  readonly source: string
  readonly value: string
}

/** The first of the provider's variables that `find` finds. */
const fromVariables = (provider: string, find: (name: string) => Variable | undefined): Located | undefined => {
  for (const name of keyVariables(provider)) {
    const found = find(name)
    if (found !== undefined) return { source: found.source, key: Effect.succeedSome(Redacted.make(found.value)) }
  }
  return undefined
}

const inEnvironment = (environment: Variables) => (name: string) => {
  const value = Environment.valueIn(environment, name)
  return value === undefined ? undefined : { source: `environment ${name}`, value }
}

const inFiles = (files: EnvFiles.EnvFiles) => (name: string) => {
  const found = files.find(name)
  return found === undefined ? undefined : { source: `${found.file} ${name}`, value: found.value }
}

const oauthSource = "auth.json (OAuth)"

/** An expired token fails and does not fall back to the next source, because the user chose this account. */
const fromAuthFile = (provider: string, { expiresAt, key }: AuthFile.StoredKey): Located => {
  if (expiresAt === undefined) return { source: "auth.json", key: Effect.succeedSome(key) }
  const message =
    `The OAuth token of ${provider} in auth.json has expired. Log in again with the program that stored it, ` +
    `or store an API key: heddle auth set ${provider}`
  return {
    source: oauthSource,
    key: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now < expiresAt ? Effect.succeedSome(key) : new KeyUnavailable({ provider, message })
    )
  }
}

const fromModelsFile = (environment: Variables, provider: string, value: ConfigValue): Located | undefined => {
  if (!value.isPresent(environment)) return undefined
  const unavailable = ({ message }: ConfigValueUnavailable) =>
    new KeyUnavailable({ provider, message: `No API key for ${provider}: ${message}` })
  const known = value.known(environment)
  const key =
    known === undefined ? Effect.asSome(Effect.mapError(value.resolve, unavailable)) : Effect.succeedSome(known)
  return { source: "models.json", key }
}

/** Locates a key without resolving it and passes it to `use`: every prompt does this, so it takes few steps. */
const makeFinder = Effect.fnUntraced(function* (options: KeyRingOptions) {
  const { agentDir, envFolders = [], project, runtime } = options
  const { providers } = yield* Catalog
  const own = yield* OwnFiles
  const inFolders = firstSuccess(EnvFiles.load(own, [...(project === undefined ? [] : [project]), ...envFolders]))
  const stored = yield* AuthFile.watch(AuthFile.pathIn(agentDir))

  const secrets = yield* KnownSecrets
  if (runtime !== undefined) secrets.add(Redacted.value(runtime.key))
  /** Every key that no command has to run for, in force or not. The file adds its own when it is read. */
  const collect = Effect.gen(function* () {
    yield* stored
    const files = yield* inFolders
    const environment = yield* Environment.Environment
    for (const { apiKey, headers, id } of providers.values()) {
      for (const name of keyVariables(id)) {
        secrets.add(environment.get(name))
        secrets.add(files.find(name)?.value)
      }
      for (const value of [...Option.toArray(apiKey), ...Object.values(headers)]) {
        const known = value.known({ get: (name) => environment.get(name) || files.find(name)?.value })
        if (known !== undefined) secrets.add(Redacted.value(known))
      }
    }
  })
  secrets.addSource(collect)

  const locate = (
    provider: string,
    keys: AuthFile.Keys,
    environment: Variables,
    files: EnvFiles.EnvFiles
  ): Located | undefined => {
    const kept = keys.get(provider)
    if (kept !== undefined) return fromAuthFile(provider, kept)
    const found = fromVariables(provider, inEnvironment(environment)) ?? fromVariables(provider, inFiles(files))
    if (found !== undefined) return found
    const value = Option.getOrUndefined(providers.get(provider)?.apiKey ?? Option.none())
    const filled = { get: (name: string) => environment.get(name) || files.find(name)?.value }
    return value === undefined ? undefined : fromModelsFile(filled, provider, value)
  }
  return <A, E>(
    provider: string,
    use: (located: Located | undefined) => Effect.Effect<A, E>,
    folders = inFolders
  ): Effect.Effect<A, E> =>
    runtime?.provider === provider
      ? use({ source: "--api-key", key: Effect.succeedSome(runtime.key) })
      : Effect.flatMap(stored, (keys) =>
          Effect.flatMap(folders, (files) =>
            Effect.flatMap(Environment.Environment, (environment) => use(locate(provider, keys, environment, files)))
          )
        )
})

export const makeLocate = (options: KeyRingOptions) =>
  Effect.map(
    makeFinder(options),
    (find) => (provider: string) => find(provider, (located) => Effect.succeed(Option.fromNullable(located)))
  )

export const make = Effect.fnUntraced(function* (options: KeyRingOptions) {
  const find = yield* makeFinder(options)
  const has = (located: Located | undefined) => Effect.succeed(located !== undefined)
  const credentials = {
    has: (provider: string) => find(provider, has),
    find: (provider: string) => find(provider, (located) => located?.key ?? Effect.succeedNone),
    isOAuth: (provider: string) => find(provider, (located) => Effect.succeed(located?.source === oauthSource))
  }
  if (options.project === undefined) return Credentials.of(credentials)
  const ownFolders = firstSuccess(EnvFiles.load(yield* OwnFiles, options.envFolders ?? []))
  const isUsers = (provider: string) => find(provider, has, ownFolders)
  return Credentials.of({
    ...credentials,
    isOnlyFromProject: (provider) =>
      Effect.flatMap(credentials.has(provider), (found) =>
        found ? Effect.map(isUsers(provider), (own) => !own) : Effect.succeed(false)
      )
  })
})

export const layer = (options: KeyRingOptions) => Layer.effect(Credentials, make(options))

/** No key at all, for programs whose providers need none. */
export const layerEmpty = Layer.succeed(Credentials, {
  find: () => Effect.succeedNone,
  has: () => Effect.succeed(false)
})
