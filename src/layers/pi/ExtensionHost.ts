/**
 * Runs pi extensions in the sessions of the process. It joins every session as a contributor: the factories run again for
 * each, on objects of their own, and the objects of the session before throw.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Contributor, SessionHooks } from "../../services/hooks/Hooks.ts"
import type { SessionServices } from "../../services/session/Sessions.ts"
import * as Bridge from "../machine/foreign/Bridge.ts"
import * as LoadGuard from "../machine/foreign/LoadGuard.ts"
import * as Modules from "../machine/foreign/Modules.ts"
import * as Pace from "../machine/foreign/Pace.ts"
import type { Missing } from "./discovery/Discovery.ts"
import * as Loading from "./Loading.ts"
import * as Required from "./Required.ts"
import * as Bus from "./instance/Bus.ts"
import * as Lifecycle from "./events/Lifecycle.ts"
import type { Extension, FlagDefinition, Instance, Outside, Shared } from "./instance/Instance.ts"
import type { Ports } from "./Ports.ts"

/** The extensions of one session, until it is left or they are loaded again. */
interface Generation {
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
const openGeneration = Effect.fnUntraced(function* (
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
  yield* LoadGuard.seal
  const [failed, instances] = Arr.separate(loaded)
  for (const instance of instances) instance.activate()
  const generation: Generation = { ports, session, instances, failed, close: Scope.close(scope, Exit.void) }
  return generation
})

const publish = ({ instances }: Generation, moment: Lifecycle.Moment): Effect.Effect<void> =>
  Effect.forEach(instances, (instance) => Lifecycle.notify(instance, moment), { discard: true })

const instanceOf = ({ instances }: Generation, { path }: Extension): Instance | undefined =>
  instances.find(({ bridge, extension }) => extension.path === path && bridge.isOpen())

export interface HostOptions {
  /** The extensions to load, in their order, and the required ones that are not among them. Asked at the first session and at every reload. */
  readonly find: Effect.Effect<Found>
  readonly bind: Effect.Effect<Ports, never, SessionServices | SessionHooks | Scope.Scope>
}

export interface Found {
  readonly extensions: ReadonlyArray<Extension>
  readonly missing: ReadonlyArray<Missing>
}

export interface ExtensionHost {
  readonly contributor: Contributor
  /** Loads all files again into the sessions that are open: session_shutdown, factories, session_start. */
  readonly reload: Effect.Effect<void>
  /** The command line options that the extensions of the newest session define, by name without dashes. */
  readonly claimedFlags: Effect.Effect<ReadonlyMap<string, FlagDefinition>>
  /** The required extensions that are not in the newest session. */
  readonly missing: () => ReadonlyArray<Missing>
}

/** The host lives as long as its scope. What changes sessions for an extension runs there. */
export const make = Effect.fnUntraced(function* ({ bind, find }: HostOptions) {
  const bridge = yield* Bridge.make
  /** A session that is opened waits for a reload, and the other way round. */
  const turns = yield* Effect.makeSemaphore(1)
  let known: Found | undefined
  /** Of the sessions that are open, by session. */
  const generations = new Map<object, Generation>()
  /** Of the session that was opened or loaded last. */
  let newest: Generation | undefined

  const open = Effect.fnUntraced(function* (ports: Ports, session: Scope.Scope) {
    const found = known ?? (yield* find)
    known = found
    const generation = yield* openGeneration(found.extensions, ports, session, outside)
    generations.set(ports.session, generation)
    newest = generation
    return generation
  })

  const close = (session: object) =>
    Effect.sync(() => {
      const left = generations.get(session)
      generations.delete(session)
      if (newest === left) newest = [...generations.values()].at(-1) ?? newest
    })

  /** The files are forgotten once, so the sessions that are not loaded again keep the code that they have. */
  const reloadAll = (wanted: () => ReadonlyArray<Generation>) =>
    Effect.gen(function* () {
      const left = wanted()
      if (left.length === 0) return
      for (const generation of left) yield* Effect.zipRight(publish(generation, "session_shutdown"), generation.close)
      yield* Modules.forget((known?.extensions ?? []).map(({ path }) => Modules.folderOf(path)))
      known = undefined
      for (const { ports, session } of left) yield* publish(yield* open(ports, session), "session_start")
    }).pipe(turns.withPermits(1), Effect.withSpan("ExtensionHost.reload"))

  const outside: Outside = {
    bridge,
    reload: (session) => bridge.run(reloadAll(() => [generations.get(session) ?? []].flat())),
    successor: (extension) => (newest === undefined ? undefined : instanceOf(newest, extension))
  }

  const join = Effect.gen(function* () {
    const ports = yield* bind
    yield* Effect.addFinalizer(() => close(ports.session))
    yield* open(ports, yield* Effect.scope)
  }).pipe(turns.withPermits(1), Effect.withSpan("ExtensionHost.join"))

  const host: ExtensionHost = {
    contributor: { name: "extensions", join: () => join },
    reload: reloadAll(() => [...generations.values()]),
    claimedFlags: Effect.sync(() => new Map((newest?.instances ?? []).flatMap(({ flags }) => [...flags]))),
    missing: () => Required.missing(known?.missing ?? [], newest?.failed ?? [])
  }
  return host
})
