/** Trying failed model calls again (protocol.md 3.5, 8). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Agent } from "../../services/Agent.ts"
import * as Command from "../Command.ts"

const setAutoRetry = Command.make({
  name: "set_auto_retry",
  lane: "ordered",
  summary: "Switches automatic retries on or off; off also ends a wait that is going on.",
  origin: ["pi", "omp", "xcsh"],
  params: () => Schema.Struct({ enabled: Schema.Boolean }),
  run: ({ enabled }) => Effect.flatMap(Agent, (agent) => agent.setAutoRetry(enabled))
})

const abortRetry = Command.make({
  name: "abort_retry",
  lane: "control",
  summary: "Ends the wait before a retry: the run ends with the error. Succeeds also when nothing waits.",
  origin: ["pi", "omp", "xcsh"],
  params: Command.noParams,
  run: () => Effect.flatMap(Agent, (agent) => agent.abortRetry)
})

export const commands = [setAutoRetry, abortRetry]
