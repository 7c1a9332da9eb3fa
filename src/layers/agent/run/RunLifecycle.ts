/** A run from its first event to its last: the journal, the turns and the end markers, put together. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AgentEvent, RequestId } from "../../../domain/conversation/AgentEvent.ts"
import type { UserMessage } from "../../../domain/conversation/Message.ts"
import { Budget } from "../../../services/Budget.ts"
import { Ids } from "../../../services/Ids.ts"
import { ModelClient } from "../../../services/model/ModelClient.ts"
import { Session } from "../../../services/session/Session.ts"
import { Settings } from "../../../services/Settings.ts"
import { Tools } from "../../../services/Tools.ts"
import type { Compaction } from "../compaction/Compaction.ts"
import * as CompactionLimits from "../compaction/CompactionLimits.ts"
import * as ContextLength from "../compaction/ContextLength.ts"
import type { ControlValues } from "../model/Controls.ts"
import * as HeadStart from "./HeadStart.ts"
import type { Inbox } from "../inbox/Inbox.ts"
import * as Delivery from "../inbox/Delivery.ts"
import type { ModelCall } from "./ModelCall.ts"
import * as ModelRequests from "../model/ModelRequests.ts"
import type { ModelInForce } from "../model/ModelInForce.ts"
import type { RetryChain } from "./Retries.ts"
import * as Run from "./Run.ts"
import * as RunCompaction from "../compaction/RunCompaction.ts"
import * as RunJournal from "./RunJournal.ts"
import * as ToolBatch from "./ToolBatch.ts"
import * as Turn from "./Turn.ts"
import * as RunNodes from "../nodes/RunNodes.ts"

/** A prompt that was accepted: stored, and its model checked. */
export interface AcceptedPrompt {
  readonly runId: string
  readonly messageId: string
  readonly clientMessageId?: string
  readonly requestId?: RequestId
  readonly message: UserMessage
  /** What was queued before this `order` has waited for the run. */
  readonly since: number
  /** Its first model call, where that could be opened ahead. */
  readonly ahead?: ModelCall
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
  readonly model: ModelInForce
  readonly retries: (runId: string) => RetryChain
  readonly compaction: Compaction
  readonly inbox: Inbox
}

type Open = ReturnType<typeof HeadStart.calls>["open"]

export const make = Effect.fnUntraced(function* (options: Options) {
  const { compaction, controls, inbox, model, now, publish, ready, systemPrompt } = options
  const { end, occupancy, prompts, queues } = inbox
  const budget = yield* Budget
  const client = yield* ModelClient
  const ids = yield* Ids
  const session = yield* Session
  const settings = yield* Settings
  const tools = yield* Tools
  const mayCallModel = Effect.isSuccess(budget.check)
  const currentModel = Effect.map(model.certain, ({ model }) => model)

  const requests = ModelRequests.make({ session, tools, systemPrompt })
  const length = ContextLength.make(session, CompactionLimits.fromSettings(settings))

  const modes = () => {
    const { followUpMode, steeringMode } = controls()
    return { steering: steeringMode, followUp: followUpMode }
  }
  const isSteered = () => controls().interruptMode === "immediate" && queues.hasSteering()

  const begin = Effect.fnUntraced(function* (accepted: AcceptedPrompt, open: Open) {
    const { ahead, message, requestId: _request, runId, since, ...ref } = accepted
    const journal = RunJournal.make({ runId, publish, session, ids, now, budget })
    const retries = options.retries(runId)
    const runTools = (calls: Parameters<typeof ToolBatch.run>[1]) =>
      ToolBatch.run({ tools, budget, journal, ready, isSteered }, calls)
    const calling = { open, journal, runTools, answered: retries.succeeded, ready: Effect.interruptible(ready), now }
    const turn = Effect.flatMap(model.certain, (chosen) =>
      RunNodes.turn(journal.turnIndex(), Turn.run(calling, chosen.model, requests(chosen)))
    )
    const autoContinue = settings["compaction.autoContinue"]
    const shrinking = RunCompaction.make({
      runId,
      compaction,
      length,
      budget,
      model: currentModel,
      autoContinue
    })
    const delivery = Delivery.make({
      ids,
      journal,
      prompts,
      queues,
      session,
      now,
      modes,
      since,
      goesOn: shrinking.goesOn
    })
    publish({ _tag: "RunStarted", runId })
    // What was asked ahead was found to be short enough.
    const prepared = ahead === undefined ? yield* Effect.exit(shrinking.beforeRun) : Exit.void
    journal.startTurn()
    journal.startUser(ref, message)
    journal.endUser(ref, message)
    const run: Run.Dependencies = {
      delivery,
      journal,
      turn: prepared.pipe(Effect.zipRight(turn), Effect.flatMap(shrinking.afterTurn)),
      retries,
      mayCallModel,
      model: currentModel
    }
    return run
  })

  /** The first stretch of a run. Whatever becomes of it, no call that was opened ahead is left behind. */
  const start = (accepted: AcceptedPrompt) => {
    const calls = HeadStart.calls(client, accepted.ahead)
    const started = Effect.flatMap(begin(accepted, calls.open), (run) =>
      Effect.map(Run.run(run, "start"), (result) => ({ run, result }))
    )
    return Effect.matchCauseEffect(started, {
      onFailure: (cause) => Effect.zipRight(calls.drop, Effect.failCause(cause)),
      onSuccess: (state) => Effect.as(calls.drop, state)
    })
  }

  /** Uninterruptible but for the waits inside it, so a run that has begun always ends. */
  const run = Effect.fnUntraced(function* (accepted: AcceptedPrompt) {
    const { result: first, run } = yield* start(accepted)
    let result = first
    while (true) {
      yield* occupancy.storeLate
      yield* session.sync
      const next = end.publish(run.journal, result)
      if (next === "over") return
      if (next === "goOn") result = yield* Run.run(run, "settled")
    }
  }, Effect.uninterruptible)

  return { run, openAhead: HeadStart.make({ client, choice: model.choice, requests, queues, length }) }
})
