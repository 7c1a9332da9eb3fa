/** A provider whose model calls are Streams, as programs write them. */
import * as Mailbox from "effect/Mailbox"
import * as Stream from "effect/Stream"
import type { Model } from "../../domain/model/Model.ts"
import * as ModelEvent from "../../domain/model/ModelEvent.ts"
import { zeroTokens } from "../../domain/model/Usage.ts"
import { ModelFailure, type ModelRequest } from "../../services/model/ModelClient.ts"
import * as Engine from "../platform/Engine.ts"
import type { Provider } from "./ProviderRegistry.ts"

/** A model of which only the id has to be given. */
export type ModelOfProvider = Pick<Model, "id"> & Partial<Model>

export interface StreamProviderOptions {
  readonly id: string
  /** Default: one model with the id `default`. */
  readonly models?: ReadonlyArray<ModelOfProvider>
  /**
   * Opens one model call. The Stream ends after `Finished`; one that ends before it counts as cut off. A retryable
   * `ModelFailure` makes heddle call again. The Stream is interrupted when the call is no longer wanted.
   */
  readonly stream: (request: ModelRequest) => Stream.Stream<ModelEvent.ModelEvent, ModelFailure>
}

const complete = (provider: string, model: ModelOfProvider): Model => ({
  name: model.id,
  api: provider,
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: zeroTokens,
  contextWindow: 200_000,
  maxTokens: 32_000,
  ...model,
  provider
})

const cutOff = ({ id, provider }: Model) =>
  new ModelFailure({
    reason: "stream_ended",
    message: "The Stream of the provider ended before the event Finished",
    provider,
    model: id
  })

const whole = (events: Stream.Stream<ModelEvent.ModelEvent, ModelFailure>, model: Model) =>
  Stream.suspend(() => {
    let isFinished = false
    const watched = Stream.map(events, (event) => {
      isFinished ||= event._tag === "Finished"
      return event
    })
    return Stream.concat(
      watched,
      Stream.suspend(() => (isFinished ? Stream.empty : Stream.fail(cutOff(model))))
    )
  })

/** How far a Stream may be ahead of the run. */
const capacity = 1024

export const make = ({ id, models = [{ id: "default" }], stream }: StreamProviderOptions): Provider => ({
  id,
  needsKey: false,
  models: models.map((model) => complete(id, model)),
  stream: (request) => Mailbox.fromStream(whole(stream(request), request.model), { capacity })
})

const { BlockEnded, Delta, Finished, TextStarted } = ModelEvent

/** The events of an answer that is text only. */
export const text = <E>(pieces: Stream.Stream<string, E>): Stream.Stream<ModelEvent.ModelEvent, E> => {
  const deltas = Stream.map(pieces, (delta) => Delta({ delta }))
  const after = Stream.make(BlockEnded({}), Finished({ stopReason: "stop" }))
  return Stream.concat(Stream.concat(Stream.make(TextStarted()), deltas), after)
}

export interface CallOfModel {
  readonly name: string
  readonly arguments?: object
  /** Default: one that no other call has. */
  readonly id?: string
}

/** The events of an answer that calls these tools. */
export const call = (...calls: ReadonlyArray<CallOfModel>): Stream.Stream<ModelEvent.ModelEvent> =>
  Stream.suspend(() => {
    const events = calls.flatMap(({ arguments: args = {}, id = `call_${Engine.uuidv7()}`, name }) =>
      ModelEvent.ofCall(id, name, args)
    )
    return Stream.fromIterable([...events, Finished({ stopReason: "toolUse" })])
  })
