/** The state machine of one call: wire events in, ModelEvents out. Pure apart from what it remembers. */
import type * as Either from "effect/Either"
import type { ModelEvent } from "../../../domain/ModelEvent.ts"
import type { ModelFailureReason } from "../../../services/ModelClient.ts"

/** What went wrong, before it is known whose call it was. */
export interface Fault {
  readonly reason: ModelFailureReason
  readonly message: string
}

/** An error body that came inside a stream; read like the body of an HTTP error. */
export interface ErrorBody {
  readonly error: unknown
}

export type Stop = Fault | ErrorBody

export interface Machine<Raw> {
  readonly take: (raw: Raw) => Either.Either<ReadonlyArray<ModelEvent>, Stop>
  /** The stream is over: what is still to be said, or why that was too early. */
  readonly end: () => Either.Either<ReadonlyArray<ModelEvent>, Stop>
  /** The model has said everything; what may still come is of no interest for long. */
  readonly finished: () => boolean
}

export const streamEnded: Fault = {
  reason: "stream_ended",
  message: "The stream ended before the answer was complete"
}
