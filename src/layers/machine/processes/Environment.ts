/**
 * Environment variables. Not Config, which takes 0.1 ms a variable: before every prompt each provider is asked whether it
 * has a key. Tests replace the reference.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as OwnSecrets from "./OwnSecrets.ts"
import { isSecret } from "./VariableNames.ts"

export class Environment extends Context.Reference<Environment>()("heddle/layers/machine/processes/Environment", {
  defaultValue: () => ({ get: (name: string): string | undefined => process.env[name] ?? OwnSecrets.get(name) })
}) {}

type Variables = typeof Environment.Service

/** Undefined also for an empty variable: people switch a variable off that way. */
export const valueIn = (environment: Variables, name: string): string | undefined => environment.get(name) || undefined

/** The variables of heddle's own environment, for the programs it starts: all but the secrets. */
export const inherited = (): Readonly<Record<string, string>> => {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !isSecret(name)) variables[name] = value
  }
  return variables
}

/** With the secrets: for programs that the user has named to get at a secret, such as a password manager. */
export const complete = (): Readonly<Record<string, string | undefined>> => ({ ...OwnSecrets.all(), ...process.env })

export const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.map(Environment, (environment) => Option.fromNullable(valueIn(environment, name)))

/** What `make` returns while the process has no variable of this prefix. Nothing else runs meanwhile. */
export const without = <A>(prefix: string, make: () => A): A => {
  const hidden = Object.entries(process.env).filter(([name]) => name.toUpperCase().startsWith(prefix))
  for (const [name] of hidden) delete process.env[name]
  try {
    return make()
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden))
  }
}
