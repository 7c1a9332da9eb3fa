/**
 * A part of a session: a service, and what it adds to the session. It is built anew for every session, in its scope. What it adds
 * it hands to the core while it is built.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Contribution, SessionCore } from "./SessionCore.ts"

export interface SessionModule<Out, E = never, In = never> {
  /** No other module of a session has it. */
  readonly name: string
  readonly build: Effect.Effect<Context.Context<Out>, E, In | Scope.Scope>
}

type Parts = Omit<Contribution, "name">

const inScope = <A, E, R>(build: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.scope, (scope) => Scope.extend(build, scope))

/** A module with a service. Its effect answers the service and what the module adds, from one closure. */
export const make = <I, S, E, R>(
  name: string,
  tag: Context.Tag<I, S>,
  build: Effect.Effect<Parts & { readonly service: S }, E, R>
): SessionModule<I, E, Exclude<R, Scope.Scope> | SessionCore> => ({
  name,
  build: Effect.zipWith(SessionCore, inScope(build), ({ contribute }, { service, ...parts }) => {
    contribute({ name, ...parts })
    return Context.make(tag, service)
  })
})

/** A module that no other one calls. */
export const contributing = <E, R>(
  name: string,
  build: Effect.Effect<Parts, E, R>
): SessionModule<never, E, Exclude<R, Scope.Scope> | SessionCore> => ({
  name,
  build: Effect.zipWith(SessionCore, inScope(build), ({ contribute }, parts) => {
    contribute({ name, ...parts })
    return Context.empty()
  })
})

/** A Layer as a module: its services are those of one session, and it calls `contribute` of the core by itself. */
export const fromLayer = <Out, E, In>(name: string, layer: Layer.Layer<Out, E, In>): SessionModule<Out, E, In> => ({
  name,
  // It shares nothing with another build, so two sessions never have one module in common.
  build: Layer.build(layer)
})
