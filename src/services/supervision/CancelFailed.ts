/** Why something could not be cancelled. Apart from the contract, because a start needs that one and not this. */
import * as Schema from "effect/Schema"

/** Nothing is known by that id; it is nothing that could end; or it was asked to end and has not done so yet. */
export class CancelFailed extends Schema.TaggedError<CancelFailed>()("CancelFailed", {
  reason: Schema.Literal("unknown_target", "not_cancellable", "still_running"),
  message: Schema.String,
  /** Processes that are left. */
  pids: Schema.Array(Schema.Int)
}) {}
