/** Keys of a program: one that it passes itself, else those of the environment. No file is read. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { keyVariableNames, keyVariables } from "../../../domain/model/ProviderKeys.ts"
import { Credentials } from "../../../services/model/Credentials.ts"
import * as Environment from "../../machine/processes/Environment.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"

export interface EnvironmentKeysOptions {
  /** Counts for every provider, before the environment. */
  readonly apiKey?: Redacted.Redacted
}

const inEnvironment = (provider: string) =>
  Effect.map(Environment.Environment, (environment) => {
    const [value] = keyVariables(provider).flatMap((name) => Environment.valueIn(environment, name) ?? [])
    return value === undefined ? Option.none() : Option.some(Redacted.make(value))
  })

export const make = Effect.fnUntraced(function* ({ apiKey }: EnvironmentKeysOptions) {
  const secrets = yield* KnownSecrets
  if (apiKey !== undefined) secrets.add(Redacted.value(apiKey))
  secrets.addSource(
    Effect.map(Environment.Environment, (environment) => {
      for (const name of keyVariableNames) secrets.add(environment.get(name))
    })
  )
  const find = (provider: string) => (apiKey === undefined ? inEnvironment(provider) : Effect.succeedSome(apiKey))
  return Credentials.of({ find, has: (provider) => Effect.map(find(provider), Option.isSome) })
})

export const layer = (options: EnvironmentKeysOptions = {}) => Layer.effect(Credentials, make(options))
