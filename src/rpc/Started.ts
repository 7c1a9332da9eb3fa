/** For commands whose answer depends on extensions, which may still be loading. */
import * as Effect from "effect/Effect"
import { Agent } from "../services/Agent.ts"

/** Returns when extensions have joined the session. */
export const started = Effect.flatMap(Agent, (agent) => agent.started)
