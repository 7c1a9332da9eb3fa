/** New attempts at model calls that have failed (protocol.md 8). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Retries extends Context.Tag("heddle/services/session/modules/Retries")<
  Retries,
  {
    readonly isEnabled: Effect.Effect<boolean>
    /** Turning retries off ends the current wait, as `cancel` does. */
    readonly setEnabled: (value: boolean) => Effect.Effect<void>
    /** Ends the wait before a retry, and the run ends with the error. Has no effect when no retry waits. */
    readonly cancel: Effect.Effect<void>
  }
>() {}
