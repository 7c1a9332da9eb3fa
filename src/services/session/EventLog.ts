/** The events of one session in their order, and those who watch them. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"

/** Takes events as they happen. `offer` never waits; the run pauses between steps while `ready` does. */
export interface EventSink {
  readonly offer: (event: AgentEvent) => void
  readonly ready: Effect.Effect<void>
}

export interface EventLog {
  /** Never waits. Each sink has the event when this returns. */
  readonly publish: (event: AgentEvent) => void
  /** Returns when no sink is too far behind. A producer asks between its steps. */
  readonly ready: Effect.Effect<void>
  /** The number of events so far. */
  readonly position: () => number
  /** Another one each time the session is opened, and after a handoff. */
  readonly epoch: () => string
  /**
   * Delivers every event until the scope closes: with `from` those behind that position first, with none left out between
   * them and the live ones. `evicted`: some of them are not kept any more, and the sink gets nothing. Steps of a block that
   * were streamed one after the other may come as one, and only the newest progress of a call comes, until its end. What
   * subagents say is not kept: their sessions have logs of their own.
   *
   * Without `from` the first sink gets failures and notices from before it, which nothing else would tell.
   */
  readonly attach: (sink: EventSink, from?: number) => Effect.Effect<"live" | "evicted", never, Scope.Scope>
}
