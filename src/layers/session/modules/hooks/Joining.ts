/** Lets the contributors of the process join a session, and notifies them of its end. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { SessionEnding, SessionOpening } from "../../../../services/hooks/HookPoints.ts"
import { type Contributor, SessionHooks } from "../../../../services/hooks/Hooks.ts"
import type { SessionServices } from "../../../../services/session/Sessions.ts"
import * as Asking from "./Asking.ts"
import type { HookRegistry } from "./HookRegistry.ts"

interface Dependencies {
  readonly hooks: HookRegistry
  /** The services of the session. */
  readonly services: Effect.Effect<Context.Context<SessionServices>>
}

/** One after the other. One that dies is reported, and the others join. */
export const joinAll = (
  { hooks, services: ofSession }: Dependencies,
  contributors: ReadonlyArray<Contributor>,
  opening: SessionOpening
) =>
  Effect.map(Effect.scope, (scope) =>
    Effect.flatMap(ofSession, (session) => {
      const services = session.pipe(Context.add(SessionHooks, hooks.service), Context.add(Scope.Scope, scope))
      return Effect.forEach(
        contributors,
        ({ join, name }) =>
          Effect.catchAllCause(join(opening), (cause) =>
            Effect.sync(() => hooks.report({ name, event: "load", message: hooks.describe(cause) }))
          ),
        { discard: true }
      ).pipe(Effect.provide(services))
    })
  )

/** How long a hook may take to hear that its session is about to be closed. */
const farewellMs = 2000

/** Notifies hooks, once, that their session is about to be closed. */
export const makeFarewell = (hooks: HookRegistry) => {
  let isTold = false
  return (ending: SessionEnding) =>
    Effect.suspend(() => {
      if (isTold) return Effect.void
      isTold = true
      return Asking.tell(hooks, "sessionEnding", ending, farewellMs)
    })
}
