/** The state machine of one call: takes wire events, gives model events. It has state, but no effects. */
import type { ModelEvent } from "../../../../domain/model/ModelEvent.ts"
import type { ModelFailureReason } from "../../../../services/model/ModelClient.ts"

/** An error without the provider and the model of the call. */
export interface Fault {
  readonly reason: ModelFailureReason
  readonly message: string
}

/** An error body inside a stream. It is read like the body of an HTTP error. */
export interface ErrorBody {
  readonly error: unknown
}

export type Stop = Fault | ErrorBody

export interface Machine<Raw> {
  /** Takes one wire event; `drain` returns the model events. A `Stop` ends the call. */
  readonly take: (raw: Raw) => Stop | undefined
  /** Asked after each event, for what no single event is to blame. */
  readonly fault: () => Fault | undefined
  /** The stream has ended: returns a `Stop` if that was too early. */
  readonly end: () => Stop | undefined
  /** The model events since the last call of `drain`. */
  readonly drain: () => ReadonlyArray<ModelEvent>
  /** The answer is complete. Only usage may still follow. */
  readonly finished: () => boolean
  /** How long a finished stream may stay open: for usage that follows, and so that its connection can be reused. */
  readonly drainMs: number
}

/** Enough for the last bytes of a stream that has no more events. */
export const lastBytesMs = 250

export const streamEnded: Fault = {
  reason: "stream_ended",
  message: "The stream ended before the answer was complete"
}
