/** Where the items of a model call come from: an answer of a server, or code of others. */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** `open`: the request failed. `read`: the connection broke. `take`: an item made no sense. */
export class SourceFailed extends Data.TaggedError("SourceFailed")<{
  readonly stage: "open" | "read" | "take"
  readonly cause: unknown
}> {}

export const failed = (stage: SourceFailed["stage"]) => (cause: unknown) => new SourceFailed({ stage, cause })

/** Waits for the items that come next. None at all are a sign of life; `undefined` is the end. */
export type Pull<Item> = Effect.Effect<ReadonlyArray<Item> | undefined, SourceFailed>

/** Not a Stream: its channels alone cost a call 0.3 ms before the first item (docs/decisions/0012-model-calls.md). */
export type Source<Item> = (signal: AbortSignal) => Effect.Effect<Pull<Item>, SourceFailed>
