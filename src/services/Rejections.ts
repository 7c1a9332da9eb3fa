/** Why a prompt, or a message for the queue, is not accepted. The messages are for people. */
import * as Schema from "effect/Schema"
import { keyAdvice } from "../domain/model/ProviderKeys.ts"
import type { BudgetExceeded, NoPrice } from "./session/modules/Budget.ts"
import type { SlashCommandFailed } from "./session/modules/Commands.ts"

export class AgentBusy extends Schema.TaggedError<AgentBusy>()("AgentBusy", {}) {
  override get message() {
    return "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."
  }
}

/** The session is closing: the host has gone or asked us to end. */
export class AgentClosing extends Schema.TaggedError<AgentClosing>()("AgentClosing", {}) {
  override get message() {
    return "The session is closing and accepts no further prompts."
  }
}

/** An abort came while the prompt was still being checked: nothing was stored. */
export class PromptWithdrawn extends Schema.TaggedError<PromptWithdrawn>()("PromptWithdrawn", {}) {
  override get message() {
    return "The prompt was aborted before it was accepted. Nothing was stored; send it again to run it."
  }
}

export class NoModelSelected extends Schema.TaggedError<NoModelSelected>()("NoModelSelected", {}) {
  override get message() {
    return "No model selected. Choose one with set_model or start with --model <provider/id>."
  }
}

export class MissingCredentials extends Schema.TaggedError<MissingCredentials>()("MissingCredentials", {
  provider: Schema.String,
  modelId: Schema.String
}) {
  override get message() {
    return `No API key for ${this.provider}/${this.modelId}. ${keyAdvice(this.provider)}`
  }
}

export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {
  provider: Schema.String,
  modelId: Schema.String
}) {
  override get message() {
    return `Model not found: ${this.provider}/${this.modelId}`
  }
}

/** The `clientMessageId` was used before, for a message with other content. */
export class ClientMessageConflict extends Schema.TaggedError<ClientMessageConflict>()("ClientMessageConflict", {
  clientMessageId: Schema.String
}) {
  override get message() {
    return `clientMessageId was used for another message: ${this.clientMessageId}`
  }
}

export const QueueRefusal = Schema.Literal("queue_item_not_found", "already_delivered", "revision_conflict")

const refusals = {
  queue_item_not_found: "No such message in the queue",
  already_delivered: "The message has been delivered",
  revision_conflict: "The queue has changed"
} as const

export class QueueRefused extends Schema.TaggedError<QueueRefused>()("QueueRefused", {
  reason: QueueRefusal,
  messageId: Schema.String
}) {
  override get message() {
    return `${refusals[this.reason]}: ${this.messageId}`
  }
}

/** The queue has no room for the message, or for what an edit adds to it (settings `queue.maxMessages`, `queue.maxBytes`). */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", {
  maxMessages: Schema.Int,
  maxBytes: Schema.Int
}) {
  override get message() {
    return "Queue is full"
  }
}

/** A message for the queue names a command that is carried out, not sent to the model. */
export class CommandNotQueueable extends Schema.TaggedError<CommandNotQueueable>()("CommandNotQueueable", {
  command: Schema.String
}) {
  override get message() {
    return `Extension command "/${this.command}" cannot be queued. Use prompt() or execute the command when not streaming.`
  }
}

export type PromptRejected =
  | AgentBusy
  | AgentClosing
  | PromptWithdrawn
  | NoModelSelected
  | MissingCredentials
  | BudgetExceeded
  | NoPrice
  | ClientMessageConflict
  | QueueFull
  | SlashCommandFailed

export type QueueingRejected =
  | AgentClosing
  | PromptWithdrawn
  | BudgetExceeded
  | ClientMessageConflict
  | QueueFull
  | CommandNotQueueable
  | SlashCommandFailed
