/** What sessions need before their first subagent: the agents that there are, and limits of the environment. */
import * as Config from "effect/Config"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ParentSession } from "../../services/delegation/Delegation.ts"
import { firstSuccess } from "../Sharing.ts"
import * as AgentFiles from "./agents/AgentFiles.ts"
import type { SubagentOptions } from "./LocalSubagents.ts"
import * as SessionSubagents from "./SessionSubagents.ts"
import type { TaskServices } from "./batch/TaskRun.ts"

const number = (name: string, fallback: number) =>
  Effect.orElseSucceed(Config.withDefault(Config.integer(name), fallback), () => fallback)

export const surroundings = Effect.fnUntraced(function* (
  options: SubagentOptions,
  services: Context.Context<TaskServices>
) {
  const limits = {
    maxBytes: yield* number("PI_TASK_MAX_OUTPUT_BYTES", 500_000),
    maxLines: yield* number("PI_TASK_MAX_OUTPUT_LINES", 5000)
  }
  const blocked = yield* Effect.orElseSucceed(
    Config.withDefault(Config.nonEmptyString("PI_BLOCKED_AGENT"), undefined),
    () => undefined
  )
  const level: SessionSubagents.Level = { depth: 0, cwd: options.cwd, spawns: "*" }
  return {
    open: (parent: ParentSession) => {
      const agents = firstSuccess(Effect.provide(AgentFiles.read(options), services))
      return SessionSubagents.make({ services, agents, limits, blocked }, level, parent)
    }
  }
})
