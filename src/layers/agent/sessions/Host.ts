/** One host: the session that it is in, and how it goes to another. A process can have several of them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as MessageQueue from "../../../domain/conversation/MessageQueue.ts"
import { defined } from "../../../domain/Values.ts"
import { Commands } from "../../../services/Commands.ts"
import type { SessionOpening } from "../../../services/hooks/HookPoints.ts"
import type { SessionLog } from "../../../services/session/SessionStore.ts"
import * as Events from "../events/Events.ts"
import * as Followers from "./Followers.ts"
import type { OpenSession } from "./OpenSession.ts"
import type { Lease, Registry, Restore } from "./Registry.ts"
import type * as SessionChanges from "./SessionChanges.ts"

/** How the sessions of a host are opened. To be called under a mask. */
export interface Enter {
  readonly open: <E, R>(
    log: Effect.Effect<SessionLog, E, R | Scope.Scope>,
    restore: Restore,
    opening?: SessionOpening
  ) => Effect.Effect<Lease, E, Exclude<R, Scope.Scope>>
  /** Around the log of a session that is left. */
  readonly openAgain: (left: Lease, restore: Restore, opening: SessionOpening) => Effect.Effect<Lease>
}

const announce = Effect.fnUntraced(function* ({ tell }: Followers.Followers, next: OpenSession, left: OpenSession) {
  for (const event of Events.ofArrival(yield* next.session.info)) tell(event)
  const queue = yield* next.agent.queue.current
  if (MessageQueue.size(queue) > 0) tell({ _tag: "QueueChanged", queue, changed: MessageQueue.ids(queue) })
  const commands = yield* Context.get(next.services, Commands).list
  const before = yield* Context.get(left.services, Commands).list
  if (commands.length + before.length > 0) tell({ _tag: "CommandsChanged", commands })
})

const openingFrom = ({ session }: OpenSession, reason: SessionOpening["reason"]) =>
  Effect.map(session.info, ({ file }): SessionOpening =>
    Option.isNone(file) ? { reason } : { reason, previousSessionFile: file.value }
  )

/**
 * Without the services of the session that is left: the command that changes the session has them in its context, and each
 * fiber that it starts for the next session would keep them, and with them all sessions before.
 */
const outside = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.mapInputContext(change, () => Context.empty())

/** The host begins in a session, and lets go of the one that it is in when the scope closes. */
export const make = Effect.fnUntraced(function* (
  first: Lease,
  enter: Enter,
  { release }: Pick<typeof Registry.Service, "release">
) {
  let current = first
  let lostWrites = false
  const followers = Followers.make(() => current)
  const farewell = Effect.suspend(() => current.session.control.farewell({ reason: "quit" }))
  yield* Effect.addFinalizer(() =>
    Effect.zipRight(
      farewell,
      Effect.suspend(() => release(current))
    )
  )

  /** The old session is settled, and no step from here on can fail. */
  const move = Effect.fnUntraced(function* (next: Lease) {
    const left = current.session
    const { control } = next.session
    yield* control.carry(yield* left.control.carried)
    // Only now can nothing be written to it any more: somebody may have taken its file away.
    yield* left.session.sync
    lostWrites ||= yield* left.session.hasLostWrites
    yield* followers.moveTo(next)
    left.control.leave()
    current = next
    yield* announce(followers, next.session, left)
  })

  /** The last steps, in the session that the host has come to. */
  const arrive = Effect.fnUntraced(function* (
    left: Lease,
    { session }: Lease,
    arrived: (session: OpenSession) => Effect.Effect<void>
  ) {
    yield* arrived(session)
    yield* release(left)
    yield* session.control.wake
  })

  const change: SessionChanges.Current["change"] = ({ reason, target }, open, arrived = () => Effect.void) =>
    Effect.suspend(() => {
      const left = current
      const { control } = left.session
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const next = yield* enter.open(open, restore, yield* openingFrom(left.session, reason))
          yield* control.settle
          yield* control.farewell({ reason, ...defined({ targetSessionFile: target }) })
          yield* move(next)
          yield* arrive(left, next, arrived)
        })
      ).pipe(control.changing, outside)
    })

  const reopen: SessionChanges.Current["reopen"] = (arrived) =>
    Effect.suspend(() => {
      const left = current
      const { control } = left.session
      return Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* control.settle
          yield* control.farewell({ reason: "resume" })
          const next = yield* enter.openAgain(left, restore, yield* openingFrom(left.session, "resume"))
          yield* move(next)
          yield* arrive(left, next, arrived)
        })
      ).pipe(control.changing, outside)
    })

  const hasLostWrites = Effect.suspend(() =>
    Effect.map(current.session.session.hasLostWrites, (lost) => lost || lostWrites)
  )
  return { get: () => current.session, change, reopen, farewell, hasLostWrites, follow: followers.follow }
})

export type Host = Effect.Effect.Success<ReturnType<typeof make>>
