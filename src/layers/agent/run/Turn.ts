/** One model call and the tools it asks for. A turn ends in a value; only interrupts and defects cut it short. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Mailbox from "effect/Mailbox"
import type { RequestedCall } from "../../../domain/conversation/AssistantDraft.ts"
import type { Model } from "../../../domain/model/Model.ts"
import type { ModelEvent } from "../../../domain/model/ModelEvent.ts"
import type { ModelClient, ModelFailure, ModelRequest } from "../../../services/model/ModelClient.ts"
import { advance, type LiveNode } from "../../../services/supervision/Supervision.ts"
import * as EventLoop from "../../platform/EventLoop.ts"
import * as RunJournal from "./RunJournal.ts"
import * as RunNodes from "../nodes/RunNodes.ts"

export type TurnOutcome =
  /** Tools have answered; the model is to be called again. */
  | { readonly _tag: "Continue" }
  /** `byTools`: not the model but the results of its calls end the run. */
  | { readonly _tag: "Settled"; readonly byTools?: true }
  | { readonly _tag: "Failed"; readonly failure: ModelFailure }

interface Dependencies {
  readonly client: typeof ModelClient.Service
  readonly journal: RunJournal.RunJournal
  /** Tells whether the run is to end with these calls. */
  readonly runTools: (calls: ReadonlyArray<RequestedCall>) => Effect.Effect<boolean>
  /** The model came to the end of its answer. */
  readonly answered: () => void
  /** Waits while a sink is too far behind. */
  readonly ready: Effect.Effect<void>
  readonly ticks: () => number
}

/** Passes the events of the model call to the journal until the call ends. */
const receive = Effect.fnUntraced(function* (
  { journal, ready, ticks }: Dependencies,
  events: Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure>,
  node: LiveNode | undefined
) {
  const next = Effect.zipRight(EventLoop.nextTurn, events.takeAll)
  while (true) {
    const [batch, done] = yield* next
    let deltas = 0
    let speaks = false
    for (const event of batch) {
      if (journal.receive(event)) speaks = true
      if (event._tag === "Delta") deltas++
    }
    advance(node, deltas, ticks())
    // Lets the writer send text to the host before anything else happens.
    if (speaks) yield* Effect.yieldNow()
    if (done) return
    yield* ready
  }
})

const receiveAll = (dependencies: Dependencies, request: ModelRequest) =>
  RunNodes.modelCall(request.model, (node) =>
    Effect.scoped(Effect.flatMap(dependencies.client.stream(request), (events) => receive(dependencies, events, node)))
  )

const outcomeOf = (hasCalls: boolean, byTools: boolean): TurnOutcome => {
  if (byTools) return { _tag: "Settled", byTools }
  return { _tag: hasCalls ? "Continue" : "Settled" }
}

/** `request` is made after the message has begun, so that a host sees at once who answers. */
export const run = Effect.fnUntraced(function* (
  dependencies: Dependencies,
  model: Model,
  request: Effect.Effect<ModelRequest>
) {
  const { answered, journal, runTools } = dependencies
  journal.startAssistant(model)
  const received = yield* Effect.either(receiveAll(dependencies, yield* request))
  if (Either.isLeft(received)) return yield* fail(journal, received.left)
  const calls = yield* journal.endAssistant()
  answered()
  const byTools = calls.length > 0 && (yield* runTools(calls))
  journal.endTurn()
  return outcomeOf(calls.length > 0, byTools)
})

/** Answers the calls of a failed message without running them: the message is not complete. */
const fail = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, failure: ModelFailure) {
  const how = RunJournal.failed(failure.message)
  yield* journal.endAssistant({ stopReason: how.stopReason, errorMessage: how.errorMessage })
  yield* journal.answerOpenCalls(how.unfinishedCall)
  journal.endTurn()
  const outcome: TurnOutcome = { _tag: "Failed", failure }
  return outcome
})
