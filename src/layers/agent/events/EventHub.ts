/** Hands every event of a session to everybody who watches it. Publishing never waits. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "../../../domain/conversation/AgentEvent.ts"
import type { EventSink } from "../../../services/Agent.ts"
import * as Backlog from "../../../services/Backlog.ts"

/** How far a reader of `subscribe` may fall behind before the run waits for it. */
const lead = 1024

export interface EventHub {
  readonly publish: (event: AgentEvent) => void
  /** Returns when no reader is too far behind: the run asks between steps, never while it cleans up. */
  readonly ready: Effect.Effect<void>
  readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
  readonly subscribe: Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope>
}

export const make = (): EventHub => {
  const sinks = new Set<EventSink>()
  const attach = (sink: EventSink) =>
    Effect.acquireRelease(
      Effect.sync(() => void sinks.add(sink)),
      () => Effect.sync(() => sinks.delete(sink))
    )
  const subscribe = Effect.gen(function* () {
    const backlog = Backlog.make<AgentEvent>(lead)
    yield* Effect.addFinalizer(() => Effect.sync(backlog.end))
    yield* attach(backlog)
    return Stream.repeatEffectChunkOption(
      Effect.flatMap(backlog.takeAll, (events) =>
        events.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(events))
      )
    )
  })
  return {
    publish: (event) => {
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
