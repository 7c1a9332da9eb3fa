/** For commands whose answer depends on extensions, which may still be loading. */
import * as Effect from "effect/Effect"
import { Agent } from "../services/Agent.ts"
import type * as Command from "./Command.ts"

/** Returns when extensions have joined the session. */
export const started = Effect.flatMap(Agent, (agent) => agent.started)

/** The same for a command of lane `control`, which is answered in its place among the ordered ones, as a query is. */
export const asQuery = ({ blocked, earlier }: Command.Request) =>
  blocked ? started : Effect.zipRight(earlier, started)
