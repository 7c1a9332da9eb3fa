/**
 * A part of a session: a service, and what it adds to the session. It is built anew for every session, in its scope. What it adds
 * it hands to the core while it is built.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type Contribution, SessionCore } from "./SessionCore.ts"
import type { SessionServices } from "./Sessions.ts"

export interface SessionModule<Out, E = never, In = never> {
  /** No other module of a session has it. */
  readonly name: string
  readonly build: Effect.Effect<Context.Context<Out>, E, In | Scope.Scope>
}

type Parts = Omit<Contribution, "name">

/** A module with several services. Its effect answers them and what the module adds, from one closure. */
export const providing = <Out, E, In>(
  name: string,
  build: Effect.Effect<Parts & { readonly services: Context.Context<Out> }, E, In | Scope.Scope>
): SessionModule<Out, E, In | SessionCore> => ({
  name,
  build: Effect.flatMap(SessionCore, ({ contribute }) =>
    Effect.map(build, ({ services, ...parts }) => {
      contribute({ name, ...parts })
      return services
    })
  )
})

/** A module with a service. Its effect answers the service and what the module adds, from one closure. */
export const make = <I, S, E, In>(
  name: string,
  tag: Context.Tag<I, S>,
  build: Effect.Effect<Parts & { readonly service: S }, E, In | Scope.Scope>
): SessionModule<I, E, In | SessionCore> =>
  providing(
    name,
    Effect.map(build, ({ service, ...parts }) => ({ ...parts, services: Context.make(tag, service) }))
  )

/** A module that no other one calls. */
export const contributing = <E, In>(
  name: string,
  build: Effect.Effect<Parts, E, In | Scope.Scope>
): SessionModule<never, E, In | SessionCore> =>
  providing(
    name,
    Effect.map(build, (parts) => ({ ...parts, services: Context.empty() }))
  )

/** A Layer as a module: its services are those of one session, and it calls `contribute` of the core by itself. */
export const fromLayer = <Out, E, In>(name: string, layer: Layer.Layer<Out, E, In>): SessionModule<Out, E, In> => ({
  name,
  // It shares nothing with another build, so two sessions never have one module in common.
  build: Layer.build(layer)
})

/** Everything that a session provides, for modules that hand it on: also services of modules behind them in the list. */
export class WholeSession extends Context.Tag("heddle/services/session/WholeSession")<
  WholeSession,
  {
    /** Not to be run while the session is built. */
    readonly services: Effect.Effect<Context.Context<SessionServices>>
  }
>() {}
