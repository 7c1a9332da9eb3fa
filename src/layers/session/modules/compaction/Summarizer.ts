/** One summary from a model: a call without tools, tried again after transient failures (protocol.md 7.4, 7.6). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AgentEvent } from "../../../../domain/conversation/AgentEvent.ts"
import * as AssistantDraft from "../../../../domain/conversation/AssistantDraft.ts"
import type { CompactionReason } from "../../../../domain/compaction/CompactionResult.ts"
import * as SummaryPrompts from "../../../../domain/compaction/SummaryPrompts.ts"
import { plainText } from "../../../../domain/conversation/Content.ts"
import { userMessage } from "../../../../domain/conversation/Message.ts"
import * as Metering from "../../../../domain/model/Metering.ts"
import { clampLevel, type Model } from "../../../../domain/model/Model.ts"
import * as RetryPolicy from "../../../../domain/model/RetryPolicy.ts"
import { defined } from "../../../../domain/Values.ts"
import type { BudgetExceeded, NoPrice } from "../../../../services/session/modules/Budget.ts"
import { CompactionFailed } from "../../../../services/session/modules/Compaction.ts"
import { type ModelClient, ModelFailure, type ModelRequest } from "../../../../services/model/ModelClient.ts"
import type { SettingsValues } from "../../../../services/Settings.ts"
import * as EventLoop from "../../../machine/engine/EventLoop.ts"
import * as RunNodes from "../../core/RunNodes.ts"
import type { SummaryLedger } from "./SummaryLedger.ts"

export interface SummaryTools {
  readonly client: typeof ModelClient.Service
  readonly settings: SettingsValues
  readonly publish: (event: AgentEvent) => void
  /** Whether failed calls are tried again. */
  readonly mayRetry: Effect.Effect<boolean>
}

export interface SummaryCall {
  readonly source: "compaction" | "branchSummary"
  readonly reason?: CompactionReason
  readonly model: Model
  readonly sessionId: string
  readonly prompt: string
  readonly maxTokens: number
  /** False for a summary that the compaction can do without. */
  readonly retries: boolean
  /** Counts the calls. */
  readonly ledger: Pick<SummaryLedger, "reserve" | "record">
}

/** The budget has no room for the call. */
export type SummaryRefused = BudgetExceeded | NoPrice

const longestWaitMs = 30_000

const request = ({ maxTokens, model, prompt, sessionId }: SummaryCall, now: number): ModelRequest => ({
  model: { ...model, maxTokens: Math.max(1, Math.min(Math.floor(maxTokens), model.maxTokens)) },
  systemPrompt: SummaryPrompts.system,
  messages: [userMessage(prompt, [], now)],
  tools: [],
  thinkingLevel: clampLevel(model, "off"),
  sessionId
})

/** Estimated as messages are. */
const inputTokens = ({ prompt }: SummaryCall) => Math.ceil((SummaryPrompts.system.length + prompt.length) / 4)

const once = Effect.fnUntraced(function* ({ client }: SummaryTools, call: SummaryCall) {
  const now = yield* Clock.currentTimeMillis
  let draft = AssistantDraft.empty(call.model, now)
  const asked = request(call, now)
  const { maxTokens: maxOutputTokens } = asked.model
  const receive = Effect.gen(function* () {
    const events = yield* client.stream(asked)
    while (true) {
      const [batch, done] = yield* Effect.zipRight(EventLoop.nextTurn, events.takeAll)
      for (const event of batch) [draft] = AssistantDraft.apply(draft, event)
      if (done) return
    }
  })
  const calling = Effect.acquireUseRelease(
    Effect.interruptible(call.ledger.reserve({ inputTokens: inputTokens(call), maxOutputTokens })),
    () => RunNodes.modelCall(call.model, () => Effect.scoped(receive)),
    (settle) => Effect.sync(() => settle(Metering.measure(draft, asked)))
  )
  const received = yield* Effect.either(calling)
  yield* call.ledger.record
  yield* received
  const text = plainText(AssistantDraft.toMessage(draft).content).trim()
  if (text !== "") return text
  const { id: model, provider } = call.model
  return yield* new ModelFailure({ reason: "protocol", message: "the model answered nothing", provider, model })
})

/** The failure of a compaction or a branch summary. */
export const failedAs = (what: string) =>
  Effect.mapError((failure: SummaryRefused | ModelFailure) => {
    if (failure._tag === "BudgetExceeded")
      return new CompactionFailed({ reason: "budget_exceeded", message: failure.message })
    if (failure._tag === "NoPrice") return new CompactionFailed({ reason: "no_price", message: failure.message })
    return new CompactionFailed({ reason: "summarization_failed", message: `${what} failed: ${failure.message}` })
  })

/** The text of the answer. Hosts see every wait and every further attempt. */
export const summarize = (
  tools: SummaryTools,
  call: SummaryCall
): Effect.Effect<string, SummaryRefused | ModelFailure> => {
  const { mayRetry, publish, settings } = tools
  const policy = {
    maxRetries: settings["retry.maxRetries"],
    baseDelayMs: settings["retry.baseDelayMs"],
    maxDelayMs: Math.min(longestWaitMs, settings["retry.maxDelayMs"])
  }
  const { reason, source } = call
  let retried = false
  const attempts = Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      const answer = yield* Effect.either(once(tools, call))
      if (Either.isRight(answer)) return answer.right
      const failure = answer.left
      if (failure._tag !== "ModelFailure") return yield* failure
      const again = call.retries && (yield* mayRetry)
      const delayMs = again ? RetryPolicy.delayBefore(attempt, failure, policy) : undefined
      if (delayMs === undefined) return yield* failure
      retried = true
      const maxAttempts = policy.maxRetries
      publish({ _tag: "SummaryRetryScheduled", attempt, maxAttempts, delayMs, errorMessage: failure.message })
      yield* Effect.sleep(delayMs)
      publish({ _tag: "SummaryRetryStarted", source, ...defined({ reason }) })
    }
  })
  return Effect.ensuring(
    attempts,
    Effect.sync(() => {
      if (retried) publish({ _tag: "SummaryRetryFinished" })
    })
  )
}
