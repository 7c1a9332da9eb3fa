/** Model calls for extensions: `streamSimple` and `complete` of pi's API over heddle's own providers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AssistantMessage } from "../../../../domain/conversation/Message.ts"
import { ModelClient, type ModelRequest } from "../../../../services/model/ModelClient.ts"
import * as PushedItems from "../../../machine/engine/PushedItems.ts"
import * as PiEvents from "./PiEvents.ts"

type Deliver = (event: PiEvents.AssistantMessageEvent) => void

const messageOf = (last: PiEvents.Last): AssistantMessage => (last.type === "done" ? last.message : last.error)

/**
 * Runs one call in the fiber of the caller and hands each event over as it comes; the last one is `done` or `error`. A call
 * that fails succeeds with a message that says so, as in pi. An interrupt ends the call, and its last event is `error` with the
 * reason `aborted`.
 */
export const run = (request: ModelRequest, deliver: Deliver): Effect.Effect<AssistantMessage, never, ModelClient> =>
  Effect.gen(function* () {
    const client = yield* ModelClient
    const events = PiEvents.make(request.model, yield* Clock.currentTimeMillis, request)
    const end = (failure?: Parameters<typeof events.last>[0]) =>
      Effect.sync(() => {
        for (const event of events.cutOff()) deliver(event)
        const last = events.last(failure)
        deliver(last)
        return messageOf(last)
      })
    const read = Effect.gen(function* () {
      yield* Effect.sync(() => deliver(events.start))
      const mailbox = yield* client.stream(request)
      while (true) {
        const [batch, isDone] = yield* mailbox.takeAll
        for (const event of batch) for (const delta of events.push(event)) deliver(delta)
        if (isDone) return
      }
    })
    return yield* Effect.scoped(read).pipe(
      Effect.matchEffect({
        onFailure: ({ message }) => end({ reason: "error", message }),
        onSuccess: () => end()
      }),
      Effect.onInterrupt(() => end({ reason: "aborted", message: "Request was aborted" }))
    )
  })

/** The whole message. */
export const complete = (request: ModelRequest) => run(request, () => undefined)

/** A call as pi's API returns it: an async iterable of its events with `result()`. The caller runs `run`. */
export const open = (request: ModelRequest) =>
  Effect.map(PushedItems.make<PiEvents.AssistantMessageEvent, AssistantMessage>(), (stream) => {
    const deliver: Deliver = (event) => {
      stream.push(event)
      if (event.type === "done" || event.type === "error") stream.end(messageOf(event))
    }
    return { stream, run: run(request, deliver) }
  })
