/** For commands whose answer depends on extensions, which may still be loading. */
import * as Effect from "effect/Effect"
import { Startup } from "../services/session/Startup.ts"

/** Returns when extensions have joined the session. */
export const started = Effect.flatMap(Startup, ({ started }) => started)
