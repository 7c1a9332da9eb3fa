/**
 * Subagents of this process, as a Layer. Most sessions start none, so a session loads the code behind them with its
 * first model call, when its tools are asked for.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ParentSession, Subagents } from "../../services/delegation/Delegation.ts"
import type { SessionSubagents } from "../../services/delegation/Subagents.ts"
import { firstSuccess } from "../Sharing.ts"
import type { TaskServices } from "./batch/TaskRun.ts"

export interface SubagentOptions {
  readonly cwd: string
  /** The user's own folder, whose `agents` are known in every project. */
  readonly agentDir: string
}

const load = Effect.promise(() => import("./Loading.ts"))

export const make = (options: SubagentOptions, services: Context.Context<TaskServices>) => {
  const above = firstSuccess(Effect.flatMap(load, (Loading) => Loading.surroundings(options, services)))
  return (parent: ParentSession): SessionSubagents => {
    const loaded = firstSuccess(Effect.map(above, ({ open }) => open(parent)))
    return {
      run: (batch, watch) => Effect.flatMap(loaded, ({ run }) => run(batch, watch)),
      tools: Effect.flatMap(loaded, ({ tools }) => tools),
      live: Effect.flatMap(loaded, ({ live }) => live),
      steer: (id, message) => Effect.flatMap(loaded, ({ steer }) => steer(id, message)),
      transcript: (request) => Effect.flatMap(loaded, ({ transcript }) => transcript(request)),
      forward: (wanted) => Effect.flatMap(loaded, ({ forward }) => forward(wanted))
    }
  }
}

export const layer = (options: SubagentOptions) =>
  Layer.effect(
    Subagents,
    Effect.map(Effect.context<TaskServices>(), (services) => make(options, services))
  )
