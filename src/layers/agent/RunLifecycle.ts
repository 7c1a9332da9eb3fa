/** A run from its first event to its last: the journal, the turns and the end markers, put together. */
import * as Effect from "effect/Effect"
import type { AgentEvent, RequestId } from "../../domain/AgentEvent.ts"
import type { UserMessage } from "../../domain/Message.ts"
import type { Model, ThinkingLevel } from "../../domain/Model.ts"
import { forModel } from "../../domain/ModelContext.ts"
import type { PromptReceipt } from "../../services/Agent.ts"
import { Budget } from "../../services/Budget.ts"
import { Ids } from "../../services/Ids.ts"
import { ModelClient } from "../../services/ModelClient.ts"
import { Session } from "../../services/Session.ts"
import { Settings } from "../../services/Settings.ts"
import { Tools } from "../../services/Tools.ts"
import type { Compaction } from "./Compaction.ts"
import * as CompactionLimits from "./CompactionLimits.ts"
import type { RetryChain } from "./Retries.ts"
import * as Run from "./Run.ts"
import * as RunCompaction from "./RunCompaction.ts"
import * as RunJournal from "./RunJournal.ts"
import * as ToolBatch from "./ToolBatch.ts"
import * as Turn from "./Turn.ts"
import * as Watched from "./Watched.ts"

/** A prompt that was accepted: stored, and its model checked. */
export interface AcceptedPrompt {
  readonly receipt: PromptReceipt
  readonly message: UserMessage
  readonly requestId?: RequestId
}

interface Options {
  readonly publish: (event: AgentEvent) => void
  /** Waits while somebody who watches is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly systemPrompt: string
  /** What is in force now; asked before every model call. */
  readonly choice: Effect.Effect<{ readonly model: Model; readonly thinkingLevel: ThinkingLevel }>
  readonly retries: (runId: string) => RetryChain
  readonly compaction: Compaction
  /** Done between the last step of the run and its last events. */
  readonly becomeIdle: Effect.Effect<void>
}

/** The returned effect is uninterruptible but for the turns inside it, so a run that has begun always ends. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { becomeIdle, choice, compaction, publish, ready, systemPrompt } = options
  const budget = yield* Budget
  const client = yield* ModelClient
  const ids = yield* Ids
  const session = yield* Session
  const limits = CompactionLimits.fromSettings(yield* Settings)
  const tools = yield* Tools

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

  return Effect.fnUntraced(function* ({ message, receipt, requestId }: AcceptedPrompt) {
    const { messageId, runId } = receipt
    const journal = RunJournal.make({ runId, publish, session, ids, budget })
    const retries = options.retries(runId)
    const runTools = (calls: Parameters<typeof ToolBatch.run>[1]) =>
      ToolBatch.run({ tools, budget, journal, ready }, calls)
    const calling = { client, journal, runTools, answered: retries.succeeded, ready }
    const turn = Effect.flatMap(choice, ({ model, thinkingLevel }) =>
      Watched.turn(journal.turnIndex(), Turn.run(calling, model, request(model, thinkingLevel)))
    )
    const model = Effect.map(choice, (now) => now.model)
    const shrinking = RunCompaction.make({ runId, compaction, session, budget, model, limits })
    publish({ _tag: "RunStarted", runId })
    const prepared = yield* Effect.exit(Effect.interruptible(shrinking.beforeRun))
    yield* journal.startTurn
    journal.announce(messageId, message)
    const result = yield* Run.run({
      journal,
      turn: prepared.pipe(Effect.zipRight(turn), Effect.flatMap(shrinking.afterTurn)),
      retries,
      mayCallModel: Effect.isSuccess(budget.check),
      model
    })
    yield* becomeIdle
    publish({ _tag: "RunEnded", runId, messages: journal.messages })
    publish({ _tag: "PromptFinished", runId, ...(requestId === undefined ? {} : { requestId }), ...result })
    publish({ _tag: "RunSettled", runId, aborted: result.status === "aborted" })
    publish({ _tag: "SessionSettled" })
  }, Effect.uninterruptible)
})
