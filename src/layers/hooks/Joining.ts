/** Lets the contributors of the process join a session. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Agent } from "../../services/Agent.ts"
import type { SessionOpening } from "../../services/hooks/HookPoints.ts"
import { type Contributor, SessionHooks } from "../../services/hooks/Hooks.ts"
import { Session } from "../../services/session/Session.ts"
import type { HookRegistry } from "./HookRegistry.ts"

interface Dependencies {
  readonly hooks: HookRegistry
  readonly session: typeof Session.Service
  /** Asked when the contributors join. */
  readonly agent: () => typeof Agent.Service
}

/** One after the other. One that dies is reported, and the others join. */
export const joinAll = (
  { agent, hooks, session }: Dependencies,
  contributors: ReadonlyArray<Contributor>,
  opening: SessionOpening
) =>
  Effect.map(Effect.scope, (scope) =>
    Effect.suspend(() => {
      const services = Context.make(Agent, agent()).pipe(
        Context.add(Session, session),
        Context.add(SessionHooks, hooks.service),
        Context.add(Scope.Scope, scope)
      )
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
