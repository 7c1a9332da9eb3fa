/** The log of the events of a session. It hands every event to all its sinks. Publishing never waits. */
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { EventLog, EventSink } from "../../../services/session/EventLog.ts"
import type { Session, SessionInfo } from "../../../services/session/Session.ts"
import * as Backpressure from "../../../services/fibers/Backpressure.ts"
import * as Kept from "./Kept.ts"

/** How many events a reader of `subscribe` may leave unread before the run waits for it. */
const lead = 1024

/** How many events are kept for those who attach later. */
const room = 512

/** How many failures and notices from before anybody listened are told to the first who does. */
const mostEarly = 100

type Attach = (sink: EventSink) => Effect.Effect<unknown, never, Scope.Scope>

/** What `attach` delivers as a Stream. */
export const subscribe = (attach: Attach): Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const events = yield* Mailbox.make<AgentEvent>()
    const { caughtUp, ready } = Backpressure.make(Backpressure.sizeOf(events), lead)
    // A run that waits for a reader goes on when the reader leaves.
    yield* Effect.addFinalizer(() => Effect.zipRight(events.end, caughtUp))
    let isAttached = true
    const sink: EventSink = {
      offer: (event) => void events.unsafeOffer(event),
      ready: Effect.suspend(() => (isAttached ? ready : Effect.void))
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => (isAttached = false)))
    yield* attach(sink)
    return Stream.mapChunksEffect(Mailbox.toStream(events), (taken) => Effect.as(caughtUp, taken))
  })

const isEarlyNews = ({ _tag }: AgentEvent) => _tag === "ExtensionFailed" || _tag === "Notice"

export const make = (firstEpoch: string): EventLog => {
  const kept = Kept.make(room)
  let epoch = firstEpoch
  /** Replaced when it changes, so that a sink that attaches while an event is published does not get it twice. */
  let sinks: ReadonlyArray<EventSink> = []
  let isHeard = false

  const early = () => {
    if (isHeard) return []
    isHeard = true
    return (kept.since(0) ?? []).filter(isEarlyNews).slice(0, mostEarly)
  }

  const enter = (sink: EventSink, from: number | undefined) => {
    const before = from === undefined ? early() : kept.since(from)
    if (before === undefined) return "evicted"
    before.forEach(sink.offer)
    sinks = [...sinks, sink]
    return "live"
  }

  return {
    publish: (event) => {
      if (event._tag === "SessionChanged") epoch = event.epoch
      kept.add(event)
      for (const sink of sinks) sink.offer(event)
    },
    ready: Effect.suspend(() => {
      const [first, ...others] = sinks.filter(({ ready }) => ready !== Effect.void)
      if (first === undefined) return Effect.void
      return others.length === 0
        ? first.ready
        : Effect.forEach([first, ...others], ({ ready }) => ready, { discard: true })
    }),
    position: kept.position,
    epoch: () => epoch,
    attach: (sink, from) =>
      Effect.acquireRelease(
        Effect.sync(() => enter(sink, from)),
        () => Effect.sync(() => (sinks = sinks.filter((other) => other !== sink)))
      )
  }
}

/** The log of a session. It publishes by itself that the session is not stored any more, or elsewhere (protocol.md 9.2). */
export const makeForSession = Effect.fnUntraced(function* (session: typeof Session.Service) {
  const { epoch } = yield* session.info
  const log = make(epoch)
  yield* session.watchFailures((failure) => {
    const { message: error } = failure
    log.publish({ _tag: "PersistFailed", error, ...("file" in failure ? { movedTo: failure.file } : {}) })
    const source = "session-persistence"
    if (failure._tag === "SessionMoved")
      return log.publish({ _tag: "Notice", level: "warning", message: error, source })
    const message = `${error}. The conversation goes on in memory and is lost when the process ends.`
    log.publish({ _tag: "Notice", level: "error", message, source })
  })
  return log
})

/** What is published when the agent has come to another session: its place first, then its name. */
export const ofArrival = ({ epoch, file, name, sessionId }: SessionInfo): ReadonlyArray<AgentEvent> => [
  {
    _tag: "SessionChanged",
    sessionId,
    epoch,
    ...Option.match(file, { onNone: () => ({}), onSome: (sessionFile) => ({ sessionFile }) })
  },
  { _tag: "SessionNamed", ...Option.match(name, { onNone: () => ({}), onSome: (name) => ({ name }) }) }
]
