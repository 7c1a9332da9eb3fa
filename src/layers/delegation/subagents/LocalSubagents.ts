/** Subagents of this process, as a Layer. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Subagents } from "../../../services/delegation/Delegation.ts"
import * as Registry from "../../session/registry/Registry.ts"
import { firstSuccess } from "../../Sharing.ts"
import * as AgentFiles from "./agents/AgentFiles.ts"
import type { TaskServices } from "./batch/TaskRun.ts"
import * as SessionSubagents from "./SessionSubagents.ts"

export interface SubagentOptions {
  readonly cwd: string
  /** The user's own folder, whose `agents` are known in every project. */
  readonly agentDir: string
}

const number = (name: string, fallback: number) =>
  Effect.orElseSucceed(Config.withDefault(Config.integer(name), fallback), () => fallback)

export const make = Effect.fnUntraced(function* (options: SubagentOptions) {
  // Sessions of subagents are in a registry of their own: no host finds them.
  const registry = Registry.make()
  const services = Context.add(
    yield* Effect.context<Exclude<TaskServices, Registry.Registry>>(),
    Registry.Registry,
    registry
  )
  const limits = {
    maxBytes: yield* number("PI_TASK_MAX_OUTPUT_BYTES", 500_000),
    maxLines: yield* number("PI_TASK_MAX_OUTPUT_LINES", 5000)
  }
  const blocked = yield* Effect.orElseSucceed(
    Config.withDefault(Config.nonEmptyString("PI_BLOCKED_AGENT"), undefined),
    () => undefined
  )
  const level: SessionSubagents.Level = { depth: 0, cwd: options.cwd, spawns: "*" }
  return Subagents.of((parent) => {
    const agents = firstSuccess(Effect.provide(AgentFiles.read(options), services))
    return SessionSubagents.make({ services, agents, limits, blocked }, level, parent)
  })
})

export const layer = (options: SubagentOptions) => Layer.effect(Subagents, make(options))
