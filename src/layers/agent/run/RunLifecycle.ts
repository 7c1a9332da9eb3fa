/** A run from its first event to its last: the journal, the turns and the end markers, put together. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as FiberSet from "effect/FiberSet"
import type { AgentEvent, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import { textAndImages } from "../../../domain/conversation/Content.ts"
import * as ContextTokens from "../../../domain/compaction/ContextTokens.ts"
import type { CustomInput, InputMessage } from "../../../domain/conversation/Message.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { SessionBudget } from "../../../services/Budget.ts"
import * as Interrupted from "../../../services/fibers/Interrupted.ts"
import { Ids } from "../../../services/Ids.ts"
import { ModelClient } from "../../../services/model/ModelClient.ts"
import type { Instructions } from "../../../services/session/Instructions.ts"
import { Session } from "../../../services/session/Session.ts"
import { Settings } from "../../../services/Settings.ts"
import type { Contribution } from "../../../services/session/SessionCore.ts"
import type { SessionTools } from "../../../services/Tools.ts"
import * as Asking from "../../hooks/Asking.ts"
import type { HookRegistry } from "../../hooks/HookRegistry.ts"
import * as EventLoop from "../../platform/EventLoop.ts"
import * as ContextLength from "../compaction/ContextLength.ts"
import type { EventRelay } from "../events/EventRelay.ts"
import * as CustomInputs from "../inbox/CustomInputs.ts"
import * as Delivery from "../inbox/Delivery.ts"
import type { LateRecords } from "../inbox/LateRecords.ts"
import type { OpenPrompts } from "../inbox/OpenPrompts.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"
import type { ControlValues } from "../../../services/session/Controls.ts"
import type { ModelInForce } from "../model/ModelInForce.ts"
import * as ModelRequests from "../model/ModelRequests.ts"
import * as RunNodes from "../nodes/RunNodes.ts"
import * as Run from "./Run.ts"
import type { RunEnd } from "./RunEnd.ts"
import * as RunJournal from "./RunJournal.ts"
import type { RunState } from "./RunState.ts"
import * as RunSteps from "./RunSteps.ts"
import * as ToolBatch from "./ToolBatch.ts"
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

interface Options {
  readonly publish: (event: AgentEvent) => void
  /** Waits while a sink is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly instructions: typeof Instructions.Service
  readonly now: () => number
  readonly ticks: () => number
  readonly controls: () => ControlValues
  readonly model: ModelInForce
  readonly budget: SessionBudget
  readonly tools: SessionTools
  readonly state: RunState
  readonly late: LateRecords
  readonly prompts: OpenPrompts
  readonly queue: SessionQueue
  readonly end: RunEnd
  /** Starts what a run does not wait for, in a fiber of the session. */
  readonly detach: (effect: Effect.Effect<void>) => void
  /** Owns the fibers of tool calls. */
  readonly fibers: FiberSet.FiberSet<unknown, unknown>
  readonly hooks: HookRegistry
  readonly relay: EventRelay
  readonly contributions: () => ReadonlyArray<Contribution>
}

/** A message of a hook that cannot be stored is reported and left out. */
const storable =
  (hooks: HookRegistry, maxBytes: number) =>
  ({ message, name }: Asking.RunChanges["messages"][number]): ReadonlyArray<CustomInput> =>
    Either.match(CustomInputs.check(message, maxBytes), {
      onLeft: ({ message: problem }) => {
        hooks.report({ name, event: "runStarting", message: problem })
        return []
      },
      onRight: (input) => [input]
    })

/** An abort does not wait for the disk: its answer leaves within the next turn of the event loop. */
const afterAnswer = (sync: Effect.Effect<void>) =>
  Effect.zipRight(EventLoop.nextTurn, Effect.zipRight(EventLoop.nextTurn, sync))

/** The next model call, as far as the budget wants to know it. */
const planned = (budget: SessionBudget, model: Effect.Effect<Model>, { recent }: ContextLength.ContextLength) =>
  Effect.flatMap(model, (chosen) =>
    budget.isLimited()
      ? Effect.map(recent, (branch) => ({ model: chosen, inputTokens: ContextTokens.ofBranch(branch).tokens }))
      : Effect.succeed({ model: chosen, inputTokens: 0 })
  )

export const make = Effect.fnUntraced(function* (options: Options) {
  const {
    budget,
    controls,
    detach,
    end,
    fibers,
    hooks,
    late,
    model,
    now,
    prompts,
    publish,
    queue,
    ready,
    relay,
    state,
    ticks,
    tools
  } = options
  const client = yield* ModelClient
  const ids = yield* Ids
  const session = yield* Session
  const settings = yield* Settings
  const currentModel = Effect.map(model.certain, ({ model }) => model)
  const requests = ModelRequests.make({ session, tools, hooks })
  const length = ContextLength.make(session, ContextLength.limitsOf(settings))

  const plan = planned(budget, currentModel, length)
  const modes = () => {
    const { followUpMode, steeringMode } = controls()
    return { steering: steeringMode, followUp: followUpMode }
  }
  const steering: ToolBatch.Steering = {
    waits: () => controls().interruptMode === "immediate" && queue.hasSteering(),
    watch: queue.watch
  }

  const begin = ({ message: said, requestId: _request, runId, since, ...ref }: AcceptedPrompt) => {
    let replaced: string | undefined
    const systemPrompt: (typeof Instructions.Service)["forCall"] = (active) =>
      replaced === undefined ? options.instructions.forCall(active) : Effect.succeed(replaced)
    const steps = RunSteps.make(options.contributions(), { runId, messages: () => journal.messages })
    const { recorded } = steps
    const journal = RunJournal.make({
      runId,
      publish,
      session,
      ids,
      now,
      ticks,
      budget,
      detach,
      hooks,
      relay,
      recorded
    })
    const runTools = (calls: Parameters<typeof ToolBatch.run>[1]) =>
      ToolBatch.run({ tools, budget, journal, steps: steps.calls, fibers, ready, steering }, calls)
    const calling = { client, journal, runTools, steps, ready, ticks }
    const turn = Effect.flatMap(Effect.zipRight(ready, model.certain), (chosen) =>
      RunNodes.turn(journal.turnIndex(), Turn.run(calling, chosen.model, requests(chosen, systemPrompt)))
    )
    const delivery = Delivery.make({
      ids,
      journal,
      prompts,
      queue,
      session,
      now,
      modes,
      since,
      isPrompted: said.role === "user",
      steps
    })
    if (said.role === "user") steps.prompted()
    publish({ _tag: "RunStarted", runId })
    /** What hooks add to the run: its system prompt may change, and messages may join it. */
    const shape = Effect.fnUntraced(function* ({ content }: InputMessage) {
      if (!hooks.has("runStarting")) return []
      yield* relay.flush
      const before = yield* systemPrompt(yield* tools.active)
      const changes = yield* Asking.runStarting(hooks, { ...textAndImages(content), systemPrompt: before })
      if (changes.systemPrompt !== before) replaced = changes.systemPrompt
      return changes.messages.flatMap(storable(hooks, settings["queue.maxBytes"]))
    })
    /** The prompt is part of the run's history even where an abort ends the compaction before it. */
    const introduce = (message: InputMessage) => {
      journal.startTurn()
      journal.startUser(ref, message)
      journal.endUser(ref, message)
    }
    const turns: Run.Dependencies = {
      delivery,
      journal,
      turn: Effect.flatMap(turn, steps.afterTurn),
      steps,
      limit: Run.makeLimit(settings.maxTurns),
      mayGoOn: budget.mayPrompt,
      reserve: Effect.flatMap(plan, (call) => Effect.map(budget.modelCall(call), journal.reserve)),
      timed: budget.whileRunning,
      model: currentModel
    }
    return { turns, beforeRun: steps.before, shape, introduce }
  }

  /** Messages that are queued at the very end continue the run, unless it was asked to stop. */
  const finish = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, result: Run.RunResult) {
    state.end(journal.runId)
    yield* late.store
    yield* end.takeQueue
    const isStopped = yield* Interrupted.isRequested
    if (!isStopped) yield* session.sync
    const next = end.publish(journal, { ...result, mayGoOn: result.mayGoOn && !isStopped })
    if (isStopped) detach(afterAnswer(session.sync))
    return next
  })

  /** Uninterruptible but for its turns, so that a run which has begun always ends. */
  const run = Effect.fnUntraced(function* (accepted: AcceptedPrompt, begun: () => void) {
    const { beforeRun, introduce, shape, turns } = begin(accepted)
    begun()
    const { message } = accepted
    const preparing = Effect.zipRight(beforeRun, shape(message))
    const prepared = yield* Effect.exit(budget.whileRunning(Effect.interruptible(preparing)))
    introduce(message)
    if (Exit.isSuccess(prepared)) for (const added of prepared.value) yield* turns.delivery.inject(added)
    let result = yield* Run.run(turns, "start", Exit.asVoid(prepared))
    while (true) {
      const next = yield* finish(turns.journal, result)
      if (next === "over") return
      if (next === "store") continue
      state.goOn(accepted.runId)
      result = yield* Run.run(turns, "settled")
    }
  }, Effect.uninterruptible)

  return { run }
})
