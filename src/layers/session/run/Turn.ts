/** One model call and the tools it asks for. A turn ends in a value; only interrupts and defects cut it short. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Mailbox from "effect/Mailbox"
import type { RequestedCall } from "../../../domain/conversation/AssistantDraft.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { ModelEvent } from "../../../domain/model/ModelEvent.ts"
import type { ModelClient, ModelFailure, ModelRequest } from "../../../services/model/ModelClient.ts"
import type { AnswerWatch, TurnOutcome } from "../../../services/session/RunStep.ts"
import { advance, type LiveNode } from "../../../services/supervision/Supervision.ts"
import * as EventLoop from "../../machine/engine/EventLoop.ts"
import * as RunJournal from "./RunJournal.ts"
import type { RunSteps } from "./RunSteps.ts"
import * as RunNodes from "../core/RunNodes.ts"

interface Dependencies {
  readonly client: typeof ModelClient.Service
  readonly journal: RunJournal.RunJournal
  /** Whether the run is to end with these calls. */
  readonly runTools: (calls: ReadonlyArray<RequestedCall>) => Effect.Effect<boolean>
  readonly steps: Pick<RunSteps, "watch" | "answered">
  /** Waits while a sink is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly ticks: () => number
}

/** Passes the events of a batch to the journal, and looks whether a watch cuts the answer off behind them. */
const pass = (journal: RunJournal.RunJournal, batch: Iterable<ModelEvent>, watch: AnswerWatch | undefined) => {
  let [deltas, speaks] = [0, false]
  for (const event of batch) {
    if (journal.receive(event)) speaks = true
    if (event._tag === "Delta") deltas++
    watch?.see(event)
  }
  return { deltas, speaks, cut: watch?.look() }
}

/** Passes the events of the model call to the journal until the call ends, or is cut off: the reason is returned. */
const receive = Effect.fnUntraced(function* (
  { journal, ready, ticks }: Dependencies,
  events: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure>,
  node: LiveNode | undefined,
  watch: AnswerWatch | undefined
) {
  const next = Effect.zipRight(EventLoop.nextTurn, events.takeAll)
  while (true) {
    const [batch, done] = yield* next
    const { cut, deltas, speaks } = pass(journal, batch, watch)
    advance(node, deltas, ticks())
    if (cut !== undefined) return cut
    // Lets the writer send text to the host before anything else happens.
    if (speaks) yield* Effect.yieldNow()
    if (done) return undefined
    yield* ready
  }
})

/** Leaving the scope interrupts a call that goes on. */
const receiveAll = (dependencies: Dependencies, request: ModelRequest, watch: AnswerWatch | undefined) =>
  RunNodes.modelCall(request.model, (node) =>
    Effect.scoped(
      Effect.flatMap(dependencies.client.stream(request), (events) => receive(dependencies, events, node, watch))
    )
  )

const outcomeOf = (hasCalls: boolean, byTools: boolean): TurnOutcome => {
  if (byTools) return { _tag: "Settled", byTools }
  return { _tag: hasCalls ? "Continue" : "Settled" }
}

/** The watch and the `request` are asked for after the message has begun, so that a host sees at once who answers. */
export const run = Effect.fnUntraced(function* (
  dependencies: Dependencies,
  model: Model,
  request: Effect.Effect<ModelRequest>
) {
  const { journal, runTools, steps } = dependencies
  journal.startAssistant(model)
  const watch = yield* steps.watch
  const asked = yield* request
  journal.send(asked)
  const received = yield* Effect.either(receiveAll(dependencies, asked, watch))
  if (Either.isLeft(received)) return yield* fail(journal, received.left)
  if (received.right !== undefined) return yield* cutOff(journal, received.right)
  const calls = yield* journal.endAssistant()
  steps.answered()
  const byTools = calls.length > 0 && (yield* runTools(calls))
  journal.endTurn()
  return outcomeOf(calls.length > 0, byTools)
})

/** Answers the calls of a message that is not complete without running them. */
const endEarly = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, how: RunJournal.CutOff) {
  yield* journal.endAssistant({ stopReason: how.stopReason, errorMessage: how.errorMessage })
  yield* journal.answerOpenCalls(how.unfinishedCall)
  journal.endTurn()
})

const cutOff = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, reason: string) {
  yield* endEarly(journal, RunJournal.cutOffFor(reason))
  const outcome: TurnOutcome = { _tag: "CutOff" }
  return outcome
})

const fail = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, failure: ModelFailure) {
  yield* endEarly(journal, RunJournal.failed(failure.message))
  const outcome: TurnOutcome = { _tag: "Failed", failure }
  return outcome
})
