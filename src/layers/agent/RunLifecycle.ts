/** A run from its first event to its last: the journal, the turns and the end markers, put together. */
import * as Effect from "effect/Effect"
import type { AgentEvent, RequestId } from "../../domain/AgentEvent.ts"
import type { UserMessage } from "../../domain/Message.ts"
import type { Model, ThinkingLevel } from "../../domain/Model.ts"
import { forModel } from "../../domain/ModelContext.ts"
import { Budget } from "../../services/Budget.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelClient } from "../../services/ModelClient.ts"
import { Session } from "../../services/Session.ts"
import { Settings } from "../../services/Settings.ts"
import { Tools } from "../../services/Tools.ts"
import type { Compaction } from "./Compaction.ts"
import * as CompactionLimits from "./CompactionLimits.ts"
import type { ControlValues } from "./Controls.ts"
import type { Inbox } from "./Inbox.ts"
import * as Intake from "./Intake.ts"
import type { RetryChain } from "./Retries.ts"
import * as Run from "./Run.ts"
import * as RunCompaction from "./RunCompaction.ts"
import * as RunJournal from "./RunJournal.ts"
import * as ToolBatch from "./ToolBatch.ts"
import * as Turn from "./Turn.ts"
import * as Watched from "./Watched.ts"

/** A prompt that was accepted: stored, and its model checked. */
export interface AcceptedPrompt {
  readonly runId: string
  readonly messageId: string
  readonly clientMessageId?: string
  readonly requestId?: RequestId
  readonly message: UserMessage
  /** What was queued before this `order` has waited for the run. */
  readonly since: number
}

interface Options {
  readonly publish: (event: AgentEvent) => void
  /** Waits while somebody who watches is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly systemPrompt: string
  readonly now: () => number
  /** What is in force now. */
  readonly controls: () => ControlValues
  /** Asked before every model call. */
  readonly choice: Effect.Effect<{ readonly model: Model; readonly thinkingLevel: ThinkingLevel }>
  readonly retries: (runId: string) => RetryChain
  readonly compaction: Compaction
  readonly inbox: Inbox
}

/** The returned effect is uninterruptible but for the waits inside it, so a run that has begun always ends. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { choice, compaction, controls, inbox, now, publish, ready, systemPrompt } = options
  const { end, occupancy, prompts, queues } = inbox
  const budget = yield* Budget
  const client = yield* ModelClient
  const ids = yield* Ids
  const session = yield* Session
  const settings = yield* Settings
  const limits = CompactionLimits.fromSettings(settings)
  const tools = yield* Tools
  const mayCallModel = Effect.isSuccess(budget.check)
  const currentModel = Effect.map(choice, ({ model }) => model)

  const request = Effect.fnUntraced(function* (model: Model, thinkingLevel: ThinkingLevel) {
    const active = yield* tools.active
    return {
      model,
      thinkingLevel,
      systemPrompt,
      messages: forModel(yield* session.messages),
      tools: active.map(({ definition }) => definition),
      sessionId: (yield* session.info).sessionId
    }
  })

  const modes = () => {
    const { followUpMode, steeringMode } = controls()
    return { steering: steeringMode, followUp: followUpMode }
  }
  const isSteered = () => controls().interruptMode === "immediate" && queues.hasSteering()

  const begin = Effect.fnUntraced(function* ({ message, requestId: _request, runId, since, ...ref }: AcceptedPrompt) {
    const journal = RunJournal.make({ runId, publish, session, ids, now, budget })
    const retries = options.retries(runId)
    const runTools = (calls: Parameters<typeof ToolBatch.run>[1]) =>
      ToolBatch.run({ tools, budget, journal, ready, isSteered }, calls)
    const calling = { client, journal, runTools, answered: retries.succeeded, ready: Effect.interruptible(ready), now }
    const turn = Effect.flatMap(choice, ({ model, thinkingLevel }) =>
      Watched.turn(journal.turnIndex(), Turn.run(calling, model, request(model, thinkingLevel)))
    )
    const autoContinue = settings["compaction.autoContinue"]
    const shrinking = RunCompaction.make({
      runId,
      compaction,
      session,
      budget,
      model: currentModel,
      limits,
      autoContinue
    })
    const intake = Intake.make({ ids, journal, prompts, queues, session, now, modes, since, goesOn: shrinking.goesOn })
    publish({ _tag: "RunStarted", runId })
    const prepared = yield* Effect.exit(shrinking.beforeRun)
    journal.startTurn()
    journal.startUser(ref, message)
    journal.endUser(ref, message)
    const run: Run.Dependencies = {
      intake,
      journal,
      turn: prepared.pipe(Effect.zipRight(turn), Effect.flatMap(shrinking.afterTurn)),
      retries,
      mayCallModel,
      model: currentModel
    }
    return run
  })

  return Effect.fnUntraced(function* (accepted: AcceptedPrompt) {
    const run = yield* begin(accepted)
    let result = yield* Run.run(run, "start")
    while (true) {
      yield* occupancy.storeLate
      yield* session.sync
      const next = end.publish(run.journal, result)
      if (next === "over") return
      if (next === "goOn") result = yield* Run.run(run, "settled")
    }
  }, Effect.uninterruptible)
})
