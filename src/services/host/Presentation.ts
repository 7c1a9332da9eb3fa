/**
 * Shows a one-shot run: where its events and its outcome go. Contract only: text is in layers/modes/oneshot, JSON lines are in
 * rpc/oneshot.
 */
import type * as Effect from "effect/Effect"
import type { EventSink } from "../Agent.ts"
import type { HostGone } from "./Transport.ts"

/** `hasMissed`: something did not happen because nobody could be asked whether it may. */
export type Outcome =
  /** `text` is that of the last assistant message; empty if there is none. */
  | { readonly _tag: "Answered"; readonly text: string; readonly hasMissed?: true }
  /** A value that fits the schema of the caller. */
  | { readonly _tag: "Submitted"; readonly value: unknown; readonly hasMissed?: true }
  /** The model gave no value that fits. */
  | { readonly _tag: "Unfit"; readonly message: string }
  | { readonly _tag: "Failed"; readonly message: string }

export interface Presentation extends EventSink {
  /** Writes what is offered, until `end`. Fails when stdout has no reader any more. */
  readonly run: Effect.Effect<void, HostGone>
  /** Called once, before the session is closed; without an outcome where the run was interrupted. */
  readonly conclude: (outcome: Outcome | undefined) => void
  /** Called last: `run` writes what waits, and returns. */
  readonly end: Effect.Effect<void>
}
