/**
 * The part that a module of a session has in every run. Steps are asked in the order of the modules. A module makes its step
 * when a run begins, so what the step remembers belongs to that run.
 */
import type * as Effect from "effect/Effect"
import type { ImageContent, JsonObject } from "../../domain/conversation/Content.ts"
import type { AssistantMessage, CustomInput, RunMessage, ToolResultMessage } from "../../domain/conversation/Message.ts"
import type { Model } from "../../domain/model/Model.ts"
import type { ModelEvent } from "../../domain/model/ModelEvent.ts"
import type { BudgetExceeded, NoPrice, Reservation } from "./modules/Budget.ts"
import type { Escalated } from "../machine/Sandbox.ts"
import type { ModelFailure } from "../model/ModelClient.ts"
import type { Tool, ToolAnswer, ToolContext, ToolFailure } from "../Tools.ts"

/** What a step sees of its run. */
export interface RunView {
  readonly runId: string
  /** The place of the turn that is open, from 0. */
  readonly turnIndex: () => number
  /** The messages of the run so far. */
  readonly messages: () => ReadonlyArray<RunMessage>
}

/** A run that is about to begin with this message. */
export interface RunBeginning {
  readonly text: string
  readonly images: ReadonlyArray<ImageContent>
  /** As the steps before have left it. It is made when a step wants it. */
  readonly systemPrompt: Effect.Effect<string>
}

export interface BeginningAnswer {
  /** They join the run behind its prompt. */
  readonly messages?: ReadonlyArray<CustomInput>
  /** Takes the place of the system prompt for this run. */
  readonly systemPrompt?: string
}

/** The model call that comes next. */
export interface NextCall {
  readonly model: Model
  /** An estimate. It is made when a step wants it. */
  readonly inputTokens: Effect.Effect<number>
}

/** How a turn has ended, or what is to happen because of it. */
export type TurnOutcome =
  /** Tools have answered; the model is to be called again. */
  | { readonly _tag: "Continue" }
  /** `byTools`: not the model but the results of its calls end the run. */
  | { readonly _tag: "Settled"; readonly byTools?: true }
  /** The model has stopped, and is to read something. Where the run may have no further turn, it has ended well. */
  | { readonly _tag: "GoesOn" }
  /** The model call failed. The run ends, unless a step asks for another attempt. */
  | { readonly _tag: "Failed"; readonly failure: ModelFailure }
  /** The model call is made again in place of this one, whose answer leaves the conversation. The turn does not count. */
  | { readonly _tag: "Again" }
  /** A watch has cut the answer off; the model is to be called again. The turn does not count. */
  | { readonly _tag: "CutOff" }

/** Sees one answer of the model while it arrives. */
export interface AnswerWatch {
  /** Takes an event that the host has seen. Called for every delta: nothing here may grow with the answer. */
  readonly see: (event: ModelEvent) => void
  /** Called where some events have been seen. Returns why the answer is cut off, if it is. */
  readonly look: () => string | undefined
}

/** A tool call that is about to run, of whichever tool. It is frozen: what a step was asked about is what runs. */
export interface CallAsked {
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments of the model, the same object for all who are asked about the call. */
  readonly requested: JsonObject
  /** The arguments as those who were asked before have left them. */
  readonly input: JsonObject
}

/** The same, with what would run. */
export interface CallToRun extends CallAsked {
  readonly tool: Tool
  /** Says what the call answers if it is interrupted while a step is asked about it. */
  readonly orInterrupted: ToolContext["orInterrupted"]
}

/** Other arguments for a call, of which a frozen copy is made, or its end: the model reads the refusal. */
export interface CallVerdict {
  readonly input?: JsonObject
  readonly refusal?: ToolFailure
  /** What somebody has decided about the call and the sandbox. */
  readonly escalation?: Escalated
}

export interface CallResult {
  readonly output: ToolAnswer
  readonly isError: boolean
}

/**
 * When a step is asked about calls: before hosts see them start (`tool_execution_start`, which then has the arguments that
 * run), behind that, or not now. If one step is to be asked before the start, all are.
 */
export type CallMoment = "start" | "run" | "never"

export interface RunStep {
  /** A message of the user joins the run: the prompt, or one from the queue. */
  readonly prompted?: () => void
  /** Runs before the first turn. An abort ends it. */
  readonly before?: Effect.Effect<void>
  /** What joins a run that begins. Asked behind `before`. An abort ends it. */
  readonly beginning?: (run: RunBeginning) => Effect.Effect<BeginningAnswer | undefined>
  /** Allows the next model call, and reserves what it may spend, or ends the run. */
  readonly reserve?: (call: NextCall) => Effect.Effect<Reservation | undefined, BudgetExceeded | NoPrice>
  /** Adds messages to the turn that is open, behind those it has. Run right before the model call, once per turn. */
  readonly opening?: (add: (message: CustomInput) => Effect.Effect<void>) => Effect.Effect<unknown>
  /** A watch for the answer that is about to come, if there is anything to look for. */
  readonly watch?: Effect.Effect<AnswerWatch | undefined>
  /** An answer of the model before it is stored; undefined: it stays as it is. The calls that it asks for stay in any case. */
  readonly ending?: (message: () => AssistantMessage) => Effect.Effect<AssistantMessage | undefined>
  /** The model came to the end of its answer. */
  readonly answered?: () => void
  /**
   * What becomes of a call that is about to run; undefined: it runs as it is. Asked in the fiber of the call, for one call
   * after the other, in their order. Every call that would run passes here.
   */
  readonly call?: (call: CallToRun) => Effect.Effect<CallVerdict | undefined>
  /** `call` is asked behind those of all other steps: the arguments that it sees are those that run. */
  readonly callsLast?: true
  /** Default: "start" with `call`, else "run". */
  readonly callMoment?: () => CallMoment
  /** What becomes of the result of a call that has run. Each step gets the answer of the one before it. */
  readonly result?: (call: CallAsked, result: CallResult) => Effect.Effect<CallResult>
  /** What becomes of the turn. Each step gets the answer of the one before it. */
  readonly afterTurn?: (outcome: TurnOutcome) => Effect.Effect<TurnOutcome>
  /**
   * The model has stopped and nothing is queued: a message with which the run goes on instead. A text counts as a message of the user.
   * The first answer counts.
   */
  readonly stopping?: Effect.Effect<string | CustomInput | undefined>
  /** A tool result was stored and published. Runs in the step that stores it, which no interrupt divides. */
  readonly recorded?: (result: ToolResultMessage) => Effect.Effect<void>
  /** The run does not end well: with this error, or because it was stopped. */
  readonly failed?: (why: string) => void
}
