/** One model call and the tools it asks for. A turn ends in a value; only interrupts and defects cut it short. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { RequestedCall } from "../../domain/AssistantDraft.ts"
import type { Model } from "../../domain/Model.ts"
import type { ModelClient, ModelFailure, ModelRequest } from "../../services/ModelClient.ts"
import { advance } from "../../services/Supervision.ts"
import * as EventLoop from "../platform/EventLoop.ts"
import * as RunJournal from "./RunJournal.ts"
import * as Watched from "./Watched.ts"

export type TurnOutcome =
  /** Tools have answered; the model is to be called again. */
  | { readonly _tag: "Continue" }
  | { readonly _tag: "Settled" }
  | { readonly _tag: "Failed"; readonly failure: ModelFailure }

interface Dependencies {
  readonly client: typeof ModelClient.Service
  readonly journal: RunJournal.RunJournal
  readonly runTools: (calls: ReadonlyArray<RequestedCall>) => Effect.Effect<void>
  /** The model came to the end of its answer. */
  readonly answered: () => void
  /** Waits while somebody who watches is too far behind. */
  readonly ready: Effect.Effect<void>
}

/** Leaving the scope, by end, failure or interrupt, closes the connection. */
const receiveAll = ({ client, journal, ready }: Dependencies, request: ModelRequest) =>
  Watched.modelCall(request.model, (node) =>
    Effect.scoped(
      Effect.gen(function* () {
        const events = yield* client.stream(request)
        while (true) {
          const [batch, done] = yield* Effect.zipRight(EventLoop.nextTurn, events.takeAll)
          let deltas = 0
          for (const event of batch) {
            journal.receive(event)
            if (event._tag === "Delta") deltas++
          }
          yield* advance(node, deltas)
          if (done) return
          yield* ready
        }
      })
    )
  )

/** `request` is made after the message has begun, so that a host sees at once who answers. */
export const run = Effect.fnUntraced(function* (
  dependencies: Dependencies,
  model: Model,
  request: Effect.Effect<ModelRequest>
) {
  const { answered, journal, runTools } = dependencies
  yield* journal.startAssistant(model)
  const received = yield* Effect.either(receiveAll(dependencies, yield* request))
  return yield* Either.match(received, {
    onLeft: (failure) => fail(journal, failure),
    onRight: Effect.fnUntraced(function* () {
      const calls = yield* journal.endAssistant()
      answered()
      if (calls.length > 0) yield* runTools(calls)
      journal.endTurn()
      const outcome: TurnOutcome = { _tag: calls.length > 0 ? "Continue" : "Settled" }
      return outcome
    })
  })
})

/** The calls of a failed message are answered without being run: the model never finished asking. */
const fail = Effect.fnUntraced(function* (journal: RunJournal.RunJournal, failure: ModelFailure) {
  const how = RunJournal.failed(failure.message)
  yield* journal.endAssistant({ stopReason: how.stopReason, errorMessage: how.errorMessage })
  yield* journal.answerOpenCalls(how.unfinishedCall)
  journal.endTurn()
  const outcome: TurnOutcome = { _tag: "Failed", failure }
  return outcome
})
