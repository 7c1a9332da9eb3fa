/** Hooks of a program, as a Layer: they join every session of the agents that the Layer is provided to. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HookPoint } from "../../../../services/hooks/HookPoints.ts"
import {
  type Contributor,
  type Hook,
  Hooks,
  type HookRegistration,
  SessionHooks
} from "../../../../services/hooks/Hooks.ts"

export type HookSet = { readonly [P in HookPoint]?: Hook<P> }

const isPoint = (hooks: HookSet, name: string): name is HookPoint => name in hooks

const put = <P extends HookPoint>(registration: HookRegistration, hooks: HookSet, point: P) => {
  const hook: Hook<P> | undefined = hooks[point]
  if (hook !== undefined) registration.on(point, hook)
}

/** Adds a contributor behind those that are there. */
export const contributor = (added: Contributor): Layer.Layer<never> =>
  Layer.effect(
    Hooks,
    Effect.map(Hooks, (before) => [...before, added])
  )

/** Adds hooks behind those that are there. `name` stands in reports about them. */
export const layer = (name: string, hooks: HookSet): Layer.Layer<never> =>
  contributor({
    name,
    join: () =>
      Effect.gen(function* () {
        const registration = yield* Effect.flatMap(SessionHooks, ({ join }) => join(name))
        for (const point of Object.keys(hooks)) if (isPoint(hooks, point)) put(registration, hooks, point)
      })
  })
