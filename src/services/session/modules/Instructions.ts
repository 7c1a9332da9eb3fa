/** The instructions that the model of a session works under. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Tool } from "../../Tools.ts"

export class Instructions extends Context.Tag("heddle/services/session/modules/Instructions")<
  Instructions,
  {
    /** The system prompt with the tools that are active. */
    readonly current: Effect.Effect<string>
    /** The same for a model call with these tools: what it is made of is in the session when this returns. */
    readonly forCall: (tools: ReadonlyArray<Tool>) => Effect.Effect<string>
  }
>() {}
