/**
 * The first model call of a run, opened while its prompt is being accepted: the request is on its way while the message is
 * stored, answered and told about. Nothing that comes of it is looked at before all that is done.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { UserMessage } from "../../../domain/conversation/Message.ts"
import type { ModelClient, ModelFailure, ModelRequest } from "../../../services/model/ModelClient.ts"
import * as EventLoop from "../../platform/EventLoop.ts"
import type { ContextLength } from "../compaction/ContextLength.ts"
import * as ModelCall from "./ModelCall.ts"
import type { Choice, ModelRequests } from "../model/ModelRequests.ts"
import type { SessionQueue } from "../inbox/SessionQueue.ts"

interface Dependencies {
  readonly client: typeof ModelClient.Service
  readonly choice: () => Choice | undefined
  readonly requests: ModelRequests
  readonly queues: SessionQueue
  readonly length: ContextLength
}

const none = Effect.succeed<ModelCall.ModelCall | undefined>(undefined)

/**
 * Answers nothing where something comes between the prompt and the call: what waits in the queue, a conversation that may
 * have to be compacted, or a model that cannot be reached at once. The run then opens its call itself, and says what is
 * wrong with it.
 */
export const make = (dependencies: Dependencies) => {
  const { choice, client, length, queues, requests } = dependencies

  const send = (request: ModelRequest) =>
    Effect.matchCauseEffect(ModelCall.open(client, request), {
      onFailure: (cause) => (Cause.isInterrupted(cause) ? Effect.interrupt : none),
      // Until the next turn of the event loop, which is after the SDK has sent it: what follows would hold it up.
      onSuccess: (call) => Effect.as(EventLoop.nextTurn, call)
    })

  return (message: UserMessage): Effect.Effect<ModelCall.ModelCall | undefined> => {
    const chosen = choice()
    if (chosen === undefined || !client.opensAtOnce(chosen.model) || queues.size() > 0) return none
    return Effect.flatMap(length.recent, (branch) =>
      length.isLong(branch, chosen.model, message) ? none : Effect.flatMap(requests(chosen, message), send)
    )
  }
}

/** The calls of one run. One that was opened ahead is the first, if it is what the run would ask. */
export const calls = (client: typeof ModelClient.Service, ahead: ModelCall.ModelCall | undefined) => {
  let waiting = ahead
  const drop = Effect.suspend(() => {
    const call = waiting
    waiting = undefined
    return call === undefined ? Effect.void : ModelCall.close(call, Exit.void)
  })
  return {
    open: (request: ModelRequest): Effect.Effect<ModelCall.ModelCall, ModelFailure> => {
      const call = waiting
      if (call === undefined || !ModelCall.answers(call, request)) {
        return Effect.zipRight(drop, ModelCall.open(client, request))
      }
      waiting = undefined
      return Effect.succeed(call)
    },
    /** Closes what no turn came to use. */
    drop
  }
}
