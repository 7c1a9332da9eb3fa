/** Hands every event of a session to all its sinks. Publishing never waits. */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { Session } from "../../../services/session/Session.ts"
import type { EventSink } from "../../../services/Agent.ts"
import * as Backpressure from "../../../services/fibers/Backpressure.ts"

/** How many events a reader of `subscribe` may leave unread before the run waits for it. */
const lead = 1024

export interface EventHub {
  readonly publish: (event: AgentEvent) => void
  /** Returns when no sink is too far behind. The run asks between steps, never while it cleans up. */
  readonly ready: Effect.Effect<void>
  readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
  readonly subscribe: Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope>
}

/** Failures and notices from before anybody listened, which nothing else would tell. */
const makeEarly = () => {
  const mostKept = 100
  let kept: Array<AgentEvent> | undefined = []
  return {
    keep: (event: AgentEvent) => {
      if (kept === undefined || kept.length >= mostKept) return
      if (event._tag === "ExtensionFailed" || event._tag === "Notice") kept.push(event)
    },
    /** For the first who listens. */
    hand: ({ offer }: EventSink) => {
      const all = kept ?? []
      kept = undefined
      all.forEach(offer)
    }
  }
}

export const make = (): EventHub => {
  const sinks = new Set<EventSink>()
  const early = makeEarly()
  const attach = (sink: EventSink) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        sinks.add(sink)
        early.hand(sink)
      }),
      () => Effect.sync(() => sinks.delete(sink))
    )
  const subscribe = Effect.gen(function* () {
    const events = yield* Mailbox.make<AgentEvent>()
    const unread = Backpressure.sizeOf(events)
    const { caughtUp, ready } = Backpressure.make(() => (sinks.has(sink) ? unread() : 0), lead)
    const sink: EventSink = { offer: (event) => void events.unsafeOffer(event), ready }
    // A run that waits for a reader goes on when the reader leaves.
    yield* Effect.addFinalizer(() => Effect.zipRight(events.end, caughtUp))
    yield* attach(sink)
    return Stream.mapChunksEffect(Mailbox.toStream(events), (taken) => Effect.as(caughtUp, taken))
  })
  return {
    publish: (event) => {
      if (sinks.size === 0) early.keep(event)
      for (const sink of sinks) sink.offer(event)
    },
    ready: Effect.suspend(() => {
      const [first, ...others] = [...sinks].filter(({ ready }) => ready !== Effect.void)
      if (first === undefined) return Effect.void
      return others.length === 0
        ? first.ready
        : Effect.forEach([first, ...others], ({ ready }) => ready, { discard: true })
    }),
    attach,
    subscribe
  }
}

/** The hub of a session. It publishes by itself that the session is not stored any more, or elsewhere (protocol.md 9.2). */
export const makeForSession = (session: typeof Session.Service) => {
  const hub = make()
  const watch = session.watchFailures((failure) => {
    const { message: error } = failure
    hub.publish({ _tag: "PersistFailed", error, ...("file" in failure ? { movedTo: failure.file } : {}) })
    const source = "session-persistence"
    if (failure._tag === "SessionMoved")
      return hub.publish({ _tag: "Notice", level: "warning", message: error, source })
    const message = `${error}. The conversation goes on in memory and is lost when the process ends.`
    hub.publish({ _tag: "Notice", level: "error", message, source })
  })
  return Effect.as(watch, hub)
}
