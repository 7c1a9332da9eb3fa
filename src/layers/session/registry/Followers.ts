/** Those who follow one host from session to session, each with a sink for every session. */
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { EventSink } from "../../../services/session/EventLog.ts"
import type { OpenSession } from "./OpenSession.ts"
import type { Lease } from "./Registry.ts"

/** Makes the sink for a session that the host comes to. */
type Enter = (session: OpenSession["services"]) => Effect.Effect<EventSink>

interface Follower {
  readonly enter: Enter
  /** That of the current session. */
  sink: EventSink
  /** One for each session whose events it still gets: one that is left may say something until the host lets go of it. */
  readonly attached: Set<Scope.CloseableScope>
}

const none: EventSink = { offer: () => {}, ready: Effect.void }

const attach = Effect.fnUntraced(function* (follower: Follower, { scope, session }: Lease) {
  const { attached, enter } = follower
  follower.sink = yield* enter(session.services)
  const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
  attached.add(own)
  yield* Scope.addFinalizer(
    own,
    Effect.sync(() => attached.delete(own))
  )
  yield* Scope.extend(session.control.log.attach(follower.sink), own)
})

export const make = (current: () => Lease) => {
  const followers = new Set<Follower>()

  const begin = (enter: Enter) =>
    Effect.gen(function* () {
      const follower: Follower = { enter, sink: none, attached: new Set() }
      followers.add(follower)
      yield* attach(follower, current())
      return follower
    })

  const end = (follower: Follower) =>
    Effect.suspend(() => {
      followers.delete(follower)
      return Effect.forEach([...follower.attached], (scope) => Scope.close(scope, Exit.void), { discard: true })
    })

  return {
    /** Delivers the events of the current session, over every change, until the scope closes. */
    follow: (enter: Enter) => Effect.asVoid(Effect.acquireRelease(begin(enter), end)),
    /** All of them get the events of this session from now on, too. */
    moveTo: (next: Lease) => Effect.forEach(followers, (follower) => attach(follower, next), { discard: true }),
    /** Tells them what is no event of a session. */
    tell: (event: AgentEvent) => {
      for (const { sink } of followers) sink.offer(event)
    }
  }
}

export type Followers = ReturnType<typeof make>
