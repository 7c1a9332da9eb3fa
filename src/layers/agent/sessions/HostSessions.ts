/** The Sessions service: holds the current session of a host. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../domain/Values.ts"
import type { Budget } from "../../../services/Budget.ts"
import type { SessionOpening } from "../../../services/hooks/HookPoints.ts"
import type { HostUi } from "../../../services/host/HostUi.ts"
import type { Ids } from "../../../services/Ids.ts"
import { ModelCatalog } from "../../../services/model/ModelCatalog.ts"
import type { ModelClient } from "../../../services/model/ModelClient.ts"
import { Controls } from "../../../services/session/Controls.ts"
import type { EventSink } from "../../../services/session/EventLog.ts"
import { type OpenedLog, Session } from "../../../services/session/Session.ts"
import type { ModelStart } from "../../../services/session/SessionOptions.ts"
import { Sessions } from "../../../services/session/Sessions.ts"
import { type SessionLog, SessionStore } from "../../../services/session/SessionStore.ts"
import type { Settings } from "../../../services/Settings.ts"
import type { Tools } from "../../../services/Tools.ts"
import { exclusively } from "../../Sharing.ts"
import * as Events from "../events/Events.ts"
import * as Beginnings from "../run/Beginnings.ts"
import type * as SessionAgent from "../SessionAgent.ts"
import * as Arrival from "./Arrival.ts"
import * as Followers from "./Followers.ts"
import * as SessionChanges from "./SessionChanges.ts"
import * as SessionScope from "./SessionScope.ts"

/** The services of the process that a session is built from. */
export type ProcessServices = Budget | HostUi | Ids | ModelCatalog | ModelClient | SessionStore | Settings | Tools

export interface HostSessionsOptions<E, R, E2, R2> extends Omit<SessionAgent.SessionAgentOptions, "announce"> {
  readonly first: Effect.Effect<SessionLog, E, R | Scope.Scope>
  readonly start: (session: typeof Session.Service) => Effect.Effect<ModelStart, E2, R2>
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

const announce = Effect.fnUntraced(function* (
  { tell }: Followers.Followers,
  next: SessionScope.OpenSession,
  left: SessionScope.OpenSession
) {
  for (const event of Arrival.events(yield* next.session.info)) tell(event)
  const queue = yield* next.agent.queue
  if (MessageQueue.size(queue) > 0) tell({ _tag: "QueueChanged", queue, changed: MessageQueue.ids(queue) })
  const commands = yield* next.agent.commands.list
  const before = yield* left.agent.commands.list
  if (commands.length + before.length > 0) tell({ _tag: "CommandsChanged", commands })
})

/**
 * Builds a session without the one in which it was asked for: what runs in a session keeps the context that it was
 * started with, and each session would keep the one before it in memory. The modules of sessions have services, too, so
 * what is left out is what earlier sessions had.
 */
const makeOutside = () => {
  const own = new Set<string>()
  const without = (context: Context.Context<never>): Context.Context<never> =>
    Context.unsafeMake(new Map([...context.unsafeMap].filter(([key]) => !own.has(key))))
  return <E, R>(open: Effect.Effect<SessionScope.OpenSession, E, R>) =>
    Effect.locallyWith(open, FiberRef.currentContext, without).pipe(
      Effect.tap(({ services }) => {
        for (const key of services.unsafeMap.keys()) own.add(key)
      })
    )
}

/** How sessions are opened, with the services of the process. */
interface Enter {
  readonly open: <E, R>(
    log: Effect.Effect<SessionLog, E, R | Scope.Scope>,
    restore: SessionScope.Restore,
    opening?: SessionOpening
  ) => Effect.Effect<SessionScope.OpenSession, E, Exclude<R, Scope.Scope>>
  readonly around: (
    log: OpenedLog,
    restore: SessionScope.Restore,
    opening: SessionOpening
  ) => Effect.Effect<SessionScope.OpenSession>
}

const makeCurrent = Effect.fnUntraced(function* (first: SessionScope.OpenSession, enter: Enter) {
  let current = first
  let lostWrites = false
  const followers = Followers.make(() => current)
  const farewell = Effect.suspend(() => current.control.farewell({ reason: "quit" }))
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      farewell,
      Effect.suspend(() => SessionScope.close(current))
    )
  )

  /** The old session is settled, and no step from here on can fail. */
  const move = Effect.fnUntraced(function* (next: SessionScope.OpenSession) {
    const left = current
    yield* next.control.carry(yield* left.control.carried)
    // Only now can nothing be written to it any more: somebody may have taken its file away.
    yield* left.session.sync
    lostWrites ||= yield* left.session.hasLostWrites
    yield* followers.moveTo(next)
    left.control.leave()
    current = next
    yield* announce(followers, next, left)
  })

  const openingFrom = (left: SessionScope.OpenSession, reason: SessionOpening["reason"]) =>
    Effect.map(left.session.info, ({ file }): SessionOpening =>
      Option.isNone(file) ? { reason } : { reason, previousSessionFile: file.value }
    )

  const change: SessionChanges.Current["change"] = ({ reason, target }, open, arrived = () => Effect.void) =>
    Effect.suspend(() => {
      const left = current
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const next = yield* enter.open(open, restore, yield* openingFrom(left, reason))
          yield* left.control.settle
          yield* left.control.farewell({ reason, ...defined({ targetSessionFile: target }) })
          yield* move(next)
          yield* arrived(next)
          yield* SessionScope.close(left)
          yield* next.control.wake
        })
      ).pipe(exclusively(left.control.gate))
    })

  const reopen: SessionChanges.Current["reopen"] = (arrived) =>
    Effect.suspend(() => {
      const left = current
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* left.control.settle
          yield* left.control.farewell({ reason: "resume" })
          const kept = yield* left.kept
          const opening = yield* openingFrom(left, "resume")
          const next = yield* enter.around(asOpened(kept, yield* left.session.entries), restore, opening)
          yield* move(next)
          yield* arrived(next)
          yield* SessionScope.closeAround(left)
          yield* next.control.wake
        })
      ).pipe(exclusively(left.control.gate))
    })

  const hasLostWrites = Effect.suspend(() => Effect.map(current.session.hasLostWrites, (lost) => lost || lostWrites))
  return { get: () => current, change, reopen, farewell, hasLostWrites, follow: followers.follow }
})

/** A function of its own: the closures of `make` would keep the first session for as long as the process lives. */
const begin = Effect.fnUntraced(function* <E, R, E2, R2>(
  enter: Enter,
  first: HostSessionsOptions<E, R, E2, R2>["first"],
  start: HostSessionsOptions<E, R, E2, R2>["start"]
) {
  const begun = yield* Effect.uninterruptibleMask((restore) => enter.open(first, restore))
  Context.get(begun.services, Controls).start(
    yield* Effect.onError(start(begun.session), () => SessionScope.close(begun))
  )
  return begun
})

export const make = Effect.fnUntraced(function* <E, R, E2, R2>(options: HostSessionsOptions<E, R, E2, R2>) {
  const { first, start, ...agent } = options
  const services = yield* Effect.context<ProcessServices>()
  const beginnings = yield* Beginnings.make
  const outside = makeOutside()
  const enterWith = (announce: () => void): Enter => ({
    open: (log, restore, opening = { reason: "startup" }) =>
      outside(Effect.provide(SessionScope.open(log, { ...agent, announce, opening }, restore), services)),
    around: (log, restore, opening) =>
      outside(Effect.provide(SessionScope.openAround(log, { ...agent, announce, opening }, restore), services))
  })
  const enter = enterWith(beginnings.announce)

  const current = yield* makeCurrent(yield* begin(enter, first, start), enter)

  const beside = enterWith(() => {})
  const catalog = yield* ModelCatalog
  const store = yield* SessionStore
  const attach = (sink: EventSink) => current.follow(() => Effect.succeed(sink))
  return Sessions.of({
    current: Effect.sync(() => current.get().services),
    changes: Effect.succeed(SessionChanges.make({ current, catalog, store })),
    open: (log) =>
      Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (restore) {
          const opened = yield* beside.open(log, restore)
          const farewell = opened.control.farewell({ reason: "quit" })
          yield* Effect.addFinalizer(() => Effect.zipRight(farewell, SessionScope.close(opened)))
          Context.get(opened.services, Controls).start(Context.get(current.get().services, Controls).values())
          return opened.services
        })
      ),
    endUntil: (position, end) =>
      beginnings.endUntil(
        position,
        Effect.suspend(() => end(current.get().agent))
      ),
    close: Effect.suspend(() => current.get().agent.close),
    farewell: current.farewell,
    sync: Effect.suspend(() => current.get().session.sync),
    hasLostWrites: current.hasLostWrites,
    follow: current.follow,
    attach,
    subscribe: Events.subscribe(attach)
  })
})

export const layer = <E, R, E2, R2>(options: HostSessionsOptions<E, R, E2, R2>) => Layer.scoped(Sessions, make(options))
