/** The state machine of one call: wire events in, ModelEvents out. Pure apart from what it remembers. */
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { ModelFailureReason } from "../../../../services/model/ModelClient.ts"

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
  /** What came of it waits for `drain`; anything handed back ends the call. */
  readonly take: (raw: Raw) => Stop | undefined
  /** The stream is over: hands back why that was too early. */
  readonly end: () => Stop | undefined
  /** The events since the last time. */
  readonly drain: () => ReadonlyArray<ModelEvent>
  /** The model has said everything; what may still come is of no interest for long. */
  readonly finished: () => boolean
  /** How long a finished stream may stay open, for what may follow and so that its connection can be used again. */
  readonly drainMs: number
}

/** For a stream of which nothing more is wanted: long enough for its last bytes to come. */
export const lastBytesMs = 250

export const streamEnded: Fault = {
  reason: "stream_ended",
  message: "The stream ended before the answer was complete"
}
