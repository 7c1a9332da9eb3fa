/**
 * The part that a module of a session has in every run. Steps are asked in the order of the modules. A module makes its step
 * when a run begins, so what the step remembers belongs to that run.
 */
import type * as Effect from "effect/Effect"
import type { CustomInput, RunMessage, ToolResultMessage } from "../../domain/conversation/Message.ts"
import type { ModelFailure } from "../model/ModelClient.ts"

/** What a step sees of its run. */
export interface RunView {
  readonly runId: string
  /** The messages of the run so far. */
  readonly messages: () => ReadonlyArray<RunMessage>
}

/** How a turn has ended, or what is to happen because of it. */
export type TurnOutcome =
  /** Tools have answered; the model is to be called again. */
  | { readonly _tag: "Continue" }
  /** `byTools`: not the model but the results of its calls end the run. */
  | { readonly _tag: "Settled"; readonly byTools?: true }
  /** The model call failed. The run ends, unless a step asks for another attempt. */
  | { readonly _tag: "Failed"; readonly failure: ModelFailure }
  /** The model call is made again after a failure. The turn does not count. */
  | { readonly _tag: "Again" }
  /** Stream rules have cut the answer off; the model is to be called again. */
  | { readonly _tag: "CutOff" }

export interface RunStep {
  /** A message of the user joins the run: the prompt, or one from the queue. */
  readonly prompted?: () => void
  /** Adds messages to the turn that is open, behind those it has. Run right before the model call, once per turn. */
  readonly opening?: (add: (message: CustomInput) => Effect.Effect<void>) => Effect.Effect<void>
  /** The model came to the end of its answer. */
  readonly answered?: () => void
  /** What becomes of the turn. Each step gets the answer of the one before it. */
  readonly afterTurn?: (outcome: TurnOutcome) => Effect.Effect<TurnOutcome>
  /** The model has stopped and nothing is queued: a message with which the run goes on instead. The first answer counts. */
  readonly stopping?: Effect.Effect<CustomInput | undefined>
  /** A tool result was stored and published. Runs in the step that stores it, which no interrupt divides. */
  readonly recorded?: (result: ToolResultMessage) => Effect.Effect<void>
  /** The run does not end well: with this error, or because it was told to stop. */
  readonly failed?: (why: string) => void
}
