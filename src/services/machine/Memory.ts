/** The memory of this process. A reference, because nothing needs it but whoever has just used a lot of it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export class Memory extends Context.Reference<Memory>()("heddle/services/machine/Memory", {
  defaultValue: () => ({
    /** So many bytes are garbage now, or will be in a moment: asks the engine to give them back. Returns at once. */
    release: (_bytes: number): Effect.Effect<void> => Effect.void
  })
}) {}
