/** One agent on a scripted model with tools of the test's own, and everything it published. */
import { Effect, Layer, Option } from "effect"
import type { AgentEvent } from "../../src/domain/AgentEvent.ts"
import { text } from "../../src/domain/Content.ts"
import * as SessionAgent from "../../src/layers/agent/SessionAgent.ts"
import * as MemoryBudget from "../../src/layers/budget/MemoryBudget.ts"
import * as CurrentSession from "../../src/layers/session/CurrentSession.ts"
import * as StaticSettings from "../../src/layers/settings/StaticSettings.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Session } from "../../src/services/Session.ts"
import type { SettingsValues } from "../../src/services/Settings.ts"
import { type Tool, Tools } from "../../src/services/Tools.ts"
import * as FixedIds from "./FixedIds.ts"
import * as ScriptedModel from "./ScriptedModel.ts"

export interface HarnessOptions {
  readonly turns: ReadonlyArray<ScriptedModel.ScriptedTurn>
  readonly tools?: ReadonlyArray<Tool>
  readonly budget?: MemoryBudget.BudgetLimits
  readonly settings?: Partial<SettingsValues>
}

export const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
  definition: { name, description: name, parameters: { type: "object" } },
  concurrency: "shared",
  abortedText: "Operation aborted",
  run,
  ...more
})

export const output = (said: string) => ({ content: [text(said)] })

/** Runs `body` with the agent, its model script and the list of events so far. */
export const run = <A, E, R>(
  options: HarnessOptions,
  body: (harness: {
    readonly agent: typeof Agent.Service
    readonly session: typeof Session.Service
    readonly script: Effect.Effect.Success<ReturnType<typeof ScriptedModel.make>>
    readonly events: ReadonlyArray<AgentEvent>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const script = yield* ScriptedModel.make(options.turns)
    const all = options.tools ?? []
    const tools = Layer.succeed(Tools, {
      active: Effect.succeed(all),
      forget: Effect.void,
      find: (name) => Effect.succeed(Option.fromNullable(all.find(({ definition }) => definition.name === name)))
    })
    const layer = SessionAgent.layer({ cwd: "/", model: ScriptedModel.model, scopedModels: [] }).pipe(
      Layer.provide([
        tools,
        script.layer,
        MemoryBudget.layer(options.budget ?? {}),
        StaticSettings.layer(options.settings)
      ]),
      Layer.provideMerge(CurrentSession.layerMemory({ cwd: "/" })),
      Layer.provide(FixedIds.layer)
    )
    return yield* Effect.gen(function* () {
      const agent = yield* Agent
      const session = yield* Session
      const events: Array<AgentEvent> = []
      yield* agent.attach({ offer: (event) => events.push(event), ready: Effect.void })
      return yield* body({ agent, session, script, events })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

/** Events as short words: `RunStarted`, `ToolEnded:ls!` (an error), `MessageEnded:assistant/stop`. */
export const summary = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  events
    .filter(({ _tag }) => _tag !== "MessageUpdated" && _tag !== "MessageStarted")
    .map((event) => {
      if (event._tag === "ToolStarted") return `ToolStarted:${event.toolCallId}`
      if (event._tag === "ToolEnded") return `ToolEnded:${event.toolCallId}${event.isError ? "!" : ""}`
      if (event._tag === "PromptFinished") return `PromptFinished:${event.status}`
      if (event._tag !== "MessageEnded") return event._tag
      const { message } = event
      return `MessageEnded:${message.role}${message.role === "assistant" ? `/${message.stopReason}` : ""}`
    })

export const resultTexts = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  events.flatMap((event) =>
    event._tag === "ToolEnded" ? event.result.content.map((block) => (block.type === "text" ? block.text : "")) : []
  )
