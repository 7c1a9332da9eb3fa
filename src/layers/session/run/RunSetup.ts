/** What one run is made of: its steps, its journal, the delivery of messages and its turns, put together. */
import * as Effect from "effect/Effect"
import type * as FiberSet from "effect/FiberSet"
import * as ContextTokens from "../../../domain/compaction/ContextTokens.ts"
import type { RequestId } from "../../../domain/conversation/AgentEvent.ts"
import { textAndImages } from "../../../domain/conversation/Content.ts"
import type { InputMessage } from "../../../domain/conversation/Message.ts"
import { Allowance } from "../../../services/session/modules/Budget.ts"
import { ModelClient } from "../../../services/model/ModelClient.ts"
import { Controls } from "../../../services/session/modules/Controls.ts"
import type { Instructions } from "../../../services/session/modules/Instructions.ts"
import type { SessionCore } from "../../../services/session/SessionCore.ts"
import { Settings } from "../../../services/Settings.ts"
import * as Stopwatch from "../../../services/Stopwatch.ts"
import { ToolSet } from "../../../services/Tools.ts"
import type { HookRegistry } from "../modules/hooks/HookRegistry.ts"
import * as ContextLength from "../modules/compaction/ContextLength.ts"
import * as Delivery from "../inbox/Delivery.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { ModelInForce } from "../modules/controls/ModelInForce.ts"
import * as ModelRequests from "./ModelRequests.ts"
import * as RunNodes from "../core/RunNodes.ts"
import * as ToolBatch from "./calls/ToolBatch.ts"
import * as Run from "./Run.ts"
import * as RunJournal from "./RunJournal.ts"
import * as RunSteps from "./RunSteps.ts"
import * as Turn from "./Turn.ts"

/** A prompt that was accepted: stored, and its model checked. */
export interface AcceptedPrompt {
  readonly runId: string
  readonly messageId: string
  readonly clientMessageId?: string
  readonly requestId?: RequestId
  /** The prompt, or a custom message that starts a run. */
  readonly message: InputMessage
  /** Messages queued before this `order` were waiting for the run. */
  readonly since: number
}

export interface Parts {
  readonly core: typeof SessionCore.Service
  readonly model: ModelInForce
  readonly instructions: typeof Instructions.Service
  readonly hooks: HookRegistry
  readonly queue: SessionQueue
  /** Owns the fibers of tool calls. */
  readonly fibers: FiberSet.FiberSet<unknown, unknown>
}

type SystemPrompt = (typeof Instructions.Service)["forCall"]

/** The system prompt of a run, in whose place a step may put another at the beginning. */
const makeSystemPrompt = (instructions: typeof Instructions.Service) => {
  let replaced: string | undefined
  const forCall: SystemPrompt = (active) =>
    replaced === undefined ? instructions.forCall(active) : Effect.succeed(replaced)
  return { forCall, replace: (prompt: string) => void (replaced = prompt) }
}

export type RunSetup = Effect.Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (parts: Parts) {
  const { core, fibers, hooks, instructions, model, queue } = parts
  const { entries: session, events, ids, now } = core
  const { ready } = events
  const budget = yield* Allowance
  const client = yield* ModelClient
  const clock = yield* Effect.clock
  const controls = yield* Controls
  const settings = yield* Settings
  const tools = yield* ToolSet
  const ticks = () => Stopwatch.read(clock)
  const currentModel = Effect.map(model.certain, ({ model: certain }) => certain)
  const requests = ModelRequests.make({ session, tools, hooks })
  const length = ContextLength.make(session, ContextLength.limitsOf(settings))
  const inputTokens = Effect.map(length.recent, (branch) => ContextTokens.ofBranch(branch).tokens)
  const modes = () => {
    const { followUpMode, steeringMode } = controls.values()
    return { steering: steeringMode, followUp: followUpMode }
  }
  const steering: ToolBatch.Steering = {
    waits: () => controls.values().interruptMode === "immediate" && queue.hasSteering(),
    watch: queue.watch
  }

  const makeTurn = (journal: RunJournal.RunJournal, steps: RunSteps.RunSteps, systemPrompt: SystemPrompt) => {
    const runTools = (calls: Parameters<typeof ToolBatch.run>[1]) =>
      ToolBatch.run({ tools, budget, journal, steps: steps.calls, fibers, ready, steering }, calls)
    const calling = { client, journal, runTools, steps, ready, ticks }
    const turn = Effect.flatMap(Effect.zipRight(ready, model.certain), (chosen) =>
      RunNodes.turn(journal.turnIndex(), Turn.run(calling, chosen.model, requests(chosen, systemPrompt)))
    )
    return Effect.flatMap(turn, steps.afterTurn)
  }

  /** The parts of a run, and what it does before its first turn. */
  return ({ message, runId, since }: AcceptedPrompt) => {
    const systemPrompt = makeSystemPrompt(instructions)
    const steps = RunSteps.make(core.contributions(), {
      runId,
      turnIndex: () => journal.turnIndex(),
      messages: () => journal.messages
    })
    const journal = RunJournal.make({ runId, core, ticks, budget, steps })
    const isPrompted = message.role === "user"
    const delivery = Delivery.make({ ids, journal, queue, session, now, modes, since, isPrompted, steps })
    const turns: Run.Dependencies = {
      delivery,
      journal,
      turn: makeTurn(journal, steps, systemPrompt.forCall),
      steps,
      limit: Run.makeLimit(settings.maxTurns),
      mayGoOn: budget.mayPrompt,
      reserve: Effect.flatMap(currentModel, (next) =>
        Effect.map(steps.reserve({ model: next, inputTokens }), journal.reserve)
      ),
      timed: budget.whileRunning,
      model: currentModel
    }
    /** What the steps add to the run: its system prompt may change, and messages may join it. */
    const shape = ({ content }: InputMessage) =>
      Effect.map(
        steps.beginning({
          ...textAndImages(content),
          systemPrompt: Effect.flatMap(tools.active, systemPrompt.forCall)
        }),
        ({ messages = [], systemPrompt: replaced }) => {
          if (replaced !== undefined) systemPrompt.replace(replaced)
          return messages
        }
      )
    return { turns, steps, shape }
  }
})
