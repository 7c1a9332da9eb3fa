/** Calls models. One contract for all providers: `ProviderRegistry` picks the provider of the requested model. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Mailbox from "effect/Mailbox"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { optional } from "../../domain/conversation/Content.ts"
import type { Message } from "../../domain/conversation/Message.ts"
import type { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import type { ModelEvent } from "../../domain/model/ModelEvent.ts"
import type { RequestHooks } from "./RequestHooks.ts"

const retryable = ["overloaded", "rate_limit", "server", "connection", "timeout", "stream_ended"] as const
const permanent = [
  "authentication",
  "invalid_request",
  "not_found",
  "context_overflow",
  "refusal",
  "quota",
  "configuration",
  "protocol"
] as const

export const ModelFailureReason = Schema.Literal(...retryable, ...permanent)
export type ModelFailureReason = typeof ModelFailureReason.Type

/** A model call that failed. The reason, not the text, says whether a retry may help. */
export class ModelFailure extends Schema.TaggedError<ModelFailure>()("ModelFailure", {
  reason: ModelFailureReason,
  message: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  httpStatus: optional(Schema.Int),
  /** How long the server asks us to wait before a retry. */
  retryAfterMs: optional(Schema.Finite)
}) {
  get retryable(): boolean {
    return retryable.some((reason) => reason === this.reason)
  }
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly parameters: JsonObject
}

export interface ModelRequest {
  readonly model: Model
  readonly systemPrompt: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly thinkingLevel: ThinkingLevel
  readonly sessionId: string
  readonly hooks?: RequestHooks
}

/** One open model call, as `ModelClient.stream` describes it. */
export type Opened = Effect.Effect<Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure>, ModelFailure, Scope.Scope>

export class ModelClient extends Context.Tag("heddle/services/model/ModelClient")<
  ModelClient,
  {
    /**
     * Opens one model call and returns its events, for one reader. The mailbox ends after `Finished`; a failure comes
     * after the events that were received before it. A provider stops reading from its server while the mailbox is
     * full. Closing the scope ends the call and its connection at once, and interrupts a reader that still waits.
     */
    readonly stream: (request: ModelRequest) => Opened
  }
>() {}
