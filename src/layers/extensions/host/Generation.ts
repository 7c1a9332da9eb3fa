/** The extensions of one session, until it is left or they are loaded again. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Pace from "../../platform/extensions/Pace.ts"
import type { Ports } from "../Ports.ts"
import * as Bus from "../pi/Bus.ts"
import * as Lifecycle from "../pi/events/Lifecycle.ts"
import type { Extension, Instance, Outside, Shared } from "../pi/Instance.ts"
import * as Loading from "./Loading.ts"

export interface Generation {
  readonly ports: Ports
  /** The scope of the session. */
  readonly session: Scope.Scope
  readonly instances: ReadonlyArray<Instance>
  /** Those that did not load. */
  readonly failed: ReadonlyArray<Loading.Failed>
  /** Ends the extensions without ending the session. */
  readonly close: Effect.Effect<void>
}

const makeShared = (ports: Ports, pace: Pace.Pace): Shared => ({
  ports,
  pace,
  bus: Bus.make(),
  toolCalls: new WeakMap(),
  entries: new WeakMap(),
  updates: {}
})

/** Loads one after the other. They become active together, so that none acts before all are there. */
export const open = Effect.fnUntraced(function* (
  extensions: ReadonlyArray<Extension>,
  ports: Ports,
  session: Scope.Scope,
  outside: Outside
) {
  const scope = yield* Scope.fork(session, { _tag: "Sequential" })
  const shared = makeShared(ports, yield* Scope.extend(Pace.make(ports.hooks.ready), scope))
  const loaded = yield* Effect.forEach(extensions, (extension) =>
    Scope.extend(Loading.load(extension, shared, outside), scope)
  )
  const [failed, instances] = Arr.separate(loaded)
  for (const instance of instances) instance.activate()
  const generation: Generation = { ports, session, instances, failed, close: Scope.close(scope, Exit.void) }
  return generation
})

export const tell = ({ instances }: Generation, moment: Lifecycle.Moment): Effect.Effect<void> =>
  Effect.forEach(instances, (instance) => Lifecycle.tell(instance, moment), { discard: true })

export const find = ({ instances }: Generation, { path }: Extension): Instance | undefined =>
  instances.find(({ bridge, extension }) => extension.path === path && bridge.isOpen())
