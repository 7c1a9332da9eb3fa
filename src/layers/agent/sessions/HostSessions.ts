/** Makes the hosts of a process: the first one, whose `Sessions` is the service of the process, and others beside it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { Budget } from "../../../services/Budget.ts"
import type { SessionOpening } from "../../../services/hooks/HookPoints.ts"
import type { HostUi } from "../../../services/host/HostUi.ts"
import type { Ids } from "../../../services/Ids.ts"
import { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import type { ModelClient } from "../../../services/model/ModelClient.ts"
import { Controls } from "../../../services/session/Controls.ts"
import type { EventSink } from "../../../services/session/EventLog.ts"
import type { OpenedLog, Session } from "../../../services/session/Session.ts"
import type { ModelStart } from "../../../services/session/SessionOptions.ts"
import { SessionRegistry } from "../../../services/session/SessionRegistry.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { type SessionLog, SessionStore } from "../../../services/session/SessionStore.ts"
import type { Settings } from "../../../services/Settings.ts"
import type { Tools } from "../../../services/Tools.ts"
import * as CurrentSession from "../../session/CurrentSession.ts"
import * as Events from "../events/Events.ts"
import type * as SessionAgent from "../SessionAgent.ts"
import * as Host from "./Host.ts"
import * as OpenSession from "./OpenSession.ts"
import * as Registry from "./Registry.ts"
import * as SessionChanges from "./SessionChanges.ts"

/** The services of the process that a session is built from. */
export type ProcessServices = Budget | HostUi | Ids | ModelCatalog | ModelClient | SessionStore | Settings | Tools

type Start<E, R> = (session: typeof Session.Service) => Effect.Effect<ModelStart, E, R>

export interface HostSessionsOptions<E, R, E2, R2> extends SessionAgent.SessionAgentOptions {
  readonly first: Effect.Effect<SessionLog, E, R | Scope.Scope>
  /** The model with which a host begins. One that is not the first begins without, if this fails. */
  readonly start: Start<E2, R2>
}

/** The log of a session that is opened again begins with the entries that the session has by now. */
const asOpened = ({ log, scope }: OpenedLog, entries: SessionLog["entries"]): OpenedLog => {
  const { append, header, sync, watchMoves } = log
  const again: SessionLog = {
    append,
    header,
    sync,
    watchMoves,
    entries,
    get file() {
      return log.file
    }
  }
  return { log: again, scope }
}

type Services = Context.Context<ProcessServices>

const makeEnter = (
  registry: typeof Registry.Registry.Service,
  options: SessionAgent.SessionAgentOptions,
  services: Services
): Host.Enter => {
  const build =
    (opening: SessionOpening): Registry.Build =>
    (kept) =>
      Registry.within(services, OpenSession.build({ ...options, opening })(kept))
  return {
    open: (log, restore, opening = { reason: "startup" }) =>
      Effect.flatMap(CurrentSession.openLog(restore(log)), (opened) => registry.open(opened, build(opening), restore)),
    openAgain: Effect.fnUntraced(function* (left, restore, opening) {
      const log = asOpened(yield* Ref.get(left.instance.kept), yield* left.session.session.entries)
      return yield* registry.openAgain(left, log, build(opening), restore)
    })
  }
}

/** A function of its own: the closures of a host would keep its first session for as long as it lives. */
const begin = Effect.fnUntraced(function* <E, R, E2, R2>(
  { open }: Host.Enter,
  { release }: typeof Registry.Registry.Service,
  log: Effect.Effect<SessionLog, E, R | Scope.Scope>,
  start: Start<E2, R2>
) {
  const begun = yield* Effect.uninterruptibleMask((restore) => open(log, restore))
  const { services, session } = begun.session
  Context.get(services, Controls).start(yield* Effect.onError(start(session), () => release(begun)))
  return begun
})

export const make = Effect.fnUntraced(function* <E, R, E2, R2>({
  first,
  start,
  ...options
}: HostSessionsOptions<E, R, E2, R2>) {
  const services = yield* Effect.context<ProcessServices | R2>()
  const registry = Registry.make()
  const enter = makeEnter(registry, options, services)
  const catalog = yield* ModelCatalog
  const store = yield* SessionStore

  /** Beside the current session of a host, with its model and modes. */
  const openBeside = <E, R>(host: Host.Host, log: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
    Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const lease = yield* enter.open(log, restore)
        const { control, services } = lease.session
        yield* Effect.addFinalizer(() => Effect.zipRight(control.farewell({ reason: "quit" }), registry.release(lease)))
        Context.get(services, Controls).start(Context.get(host.get().services, Controls).values())
        return services
      })
    )

  const hostIn = Effect.fnUntraced(function* <E, R, E2, R2>(
    log: Effect.Effect<SessionLog, E, R | Scope.Scope>,
    start: Start<E2, R2>
  ) {
    const host = yield* Host.make(yield* begin(enter, registry, log, start), enter, registry)
    const attach = (sink: EventSink) => host.follow(() => Effect.succeed(sink))
    return Sessions.of({
      current: Effect.sync(() => host.get().services),
      changes: Effect.succeed(SessionChanges.make({ current: host, catalog, store })),
      open: (log) => openBeside(host, log),
      close: Effect.suspend(() => host.get().agent.close),
      farewell: host.farewell,
      sync: Effect.suspend(() => host.get().session.sync),
      hasLostWrites: host.hasLostWrites,
      follow: host.follow,
      attach,
      subscribe: Events.subscribe(attach)
    })
  })

  const leased = Effect.fnUntraced(function* (sessionId: string) {
    const lease = yield* registry.find(sessionId)
    if (lease === undefined) return Option.none()
    yield* Effect.addFinalizer(() => registry.release(lease))
    return Option.some(lease.session.services)
  }, Effect.uninterruptible)

  const startLater: Start<never, never> = (session) =>
    Effect.provide(
      Effect.orElseSucceed(start(session), () => ({})),
      services
    )
  return Context.make(Sessions, yield* hostIn(first, start)).pipe(
    Context.add(SessionRegistry, {
      host: (log) => hostIn(log, startLater),
      lease: leased,
      ids: registry.ids
    })
  )
})

/** `Sessions` of the first host, and the registry that others are made by. */
export const layer = <E, R, E2, R2>(options: HostSessionsOptions<E, R, E2, R2>) => Layer.scopedContext(make(options))
