/**
 * The start of a session for its contributors: they join it when somebody first needs what they add. A reference: without the
 * module `hooks` nobody joins.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface SessionStartup {
  /** Lets contributors join, and returns when they have. The hooks of the start are not called before `started` is run. */
  readonly joined: Effect.Effect<void>
  /** Begins the start, unless it has begun, and returns when it is over. An interrupt ends only the wait. Prompts wait for it. */
  readonly started: Effect.Effect<void>
  readonly isOver: () => boolean
}

export class Startup extends Context.Reference<Startup>()("heddle/services/session/Startup", {
  defaultValue: (): SessionStartup => ({ joined: Effect.void, started: Effect.void, isOver: () => true })
}) {}

/** Returns when contributors have joined the session: for answers that depend on what they add. */
export const started = Effect.flatMap(Startup, ({ started }) => started)
