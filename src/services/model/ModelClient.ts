/** Calls models. One contract for every provider; the registry behind it picks the provider by the model's name. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import { optional } from "../../domain/conversation/Content.ts"
import type { Message } from "../../domain/conversation/Message.ts"
import type { Model, ThinkingLevel } from "../../domain/model/Model.ts"
import type { ModelEvent } from "../../domain/model/ModelEvent.ts"
import { sameItems } from "../../domain/SameItems.ts"

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

/** A model call that did not come to its end. Whether trying again helps follows from the reason, not from the text. */
export class ModelFailure extends Schema.TaggedError<ModelFailure>()("ModelFailure", {
  reason: ModelFailureReason,
  message: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  httpStatus: optional(Schema.Int),
  /** What the server asked us to wait. */
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
}

/** Whether two requests differ in nothing but the conversation. Tools never change, so they are compared as such. */
export const sameFrame = (a: ModelRequest, b: ModelRequest): boolean =>
  a.model === b.model &&
  a.thinkingLevel === b.thinkingLevel &&
  a.systemPrompt === b.systemPrompt &&
  a.sessionId === b.sessionId &&
  sameItems(a.tools, b.tools)

/** What the model says, for one reader. A Mailbox is one. */
export interface ModelEvents {
  /**
   * Waits for something, and takes all there is; true with the last of it, after `Finished`. A failure comes when
   * everything before it was taken.
   */
  readonly takeAll: Effect.Effect<readonly [events: Iterable<ModelEvent>, done: boolean], ModelFailure>
  /** Whether the call has come to its end by itself and closing its scope would end nothing more. Without it, nobody knows. */
  readonly isOver?: () => boolean
}

export class ModelClient extends Context.Tag("heddle/services/model/ModelClient")<
  ModelClient,
  {
    /**
     * Opens one call. A reader that is far behind slows the provider down.
     * Closing the scope ends the call and its connection at once. The scope is handed over and not in the context,
     * because putting it there costs as much as the rest of opening a call.
     */
    readonly stream: (request: ModelRequest, scope: Scope.Scope) => Effect.Effect<ModelEvents, ModelFailure>
    /**
     * Whether `stream` only sends a request to such a model and has nothing to wait for before: then a run's first call
     * may be opened while its prompt is being accepted. A model that answers in this process gains nothing by it.
     */
    readonly opensAtOnce: (model: Model) => boolean
  }
>() {}
