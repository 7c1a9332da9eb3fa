/** The events of one session, and those who watch them. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"

/** Takes events as they happen. `offer` never waits; the run pauses between steps while `ready` does. */
export interface EventSink {
  readonly offer: (event: AgentEvent) => void
  readonly ready: Effect.Effect<void>
}

export interface EventLog {
  /** Never waits. */
  readonly publish: (event: AgentEvent) => void
  /** Returns when no sink is too far behind. A producer asks between its steps. */
  readonly ready: Effect.Effect<void>
  /** Delivers every event from now on, until the scope closes. */
  readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
}
