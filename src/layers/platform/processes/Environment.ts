/**
 * Environment variables. Not Config, which takes 0.1 ms a variable: before every prompt each provider is asked whether it
 * has a key. Tests replace the reference.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export class Environment extends Context.Reference<Environment>()("heddle/layers/platform/processes/Environment", {
  defaultValue: () => ({ get: (name: string): string | undefined => process.env[name] })
}) {}

type Variables = typeof Environment.Service

/** Undefined also for an empty variable: people switch a variable off that way. */
export const valueIn = (environment: Variables, name: string): string | undefined => environment.get(name) || undefined

/** All variables of heddle's own environment, for the programs it starts. */
export const inherited = (): Readonly<Record<string, string | undefined>> => process.env

export const variable = (name: string): Effect.Effect<Option.Option<string>> =>
  Effect.map(Environment, (environment) => Option.fromNullable(valueIn(environment, name)))
