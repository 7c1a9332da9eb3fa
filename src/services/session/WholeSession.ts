/** Everything that a session provides, for modules that hand it on: also services of modules behind them in the list. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SessionServices } from "./Sessions.ts"

export class WholeSession extends Context.Tag("heddle/services/session/WholeSession")<
  WholeSession,
  {
    /** Not to be run while the session is built. */
    readonly services: Effect.Effect<Context.Context<SessionServices>>
  }
>() {}
