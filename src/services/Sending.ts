/** What extensions and embedders send into a session beside prompts (protocol.md 11.4): options, receipts and refusals. */
import * as Schema from "effect/Schema"

export interface SendOptions {
  /**
   * While a run goes on: `steer`, the default, delivers before the next model call, `followUp` when the model would stop.
   * `nextTurn` waits for the next prompt, whose first turn carries the message, and never starts a run.
   */
  readonly deliverAs?: "steer" | "followUp" | "nextTurn"
  /**
   * True starts a run for the message when the session is idle. False never makes the model answer: while a run goes on
   * the message joins the conversation when the run ends.
   */
  readonly triggerTurn?: boolean
}

export interface SendUserOptions {
  /** Without it, a message during a run is refused. */
  readonly deliverAs?: "steer" | "followUp"
  /** Whether a text that names a slash command stands for the command. Default: no. */
  readonly takesCommands?: boolean
  /** How many handlers lie around the sender that were called for messages of others of them. */
  readonly nesting?: number
}

export interface SendReceipt {
  /** The message is in the conversation, waits in the session, or has started a run. */
  readonly disposition: "appended" | "queued" | "started"
  readonly messageId: string
  /** The run that the message has started. */
  readonly runId?: string
}

/** A message or an entry that a session file could not give back as it was. Nothing was stored. */
export class NotStorable extends Schema.TaggedError<NotStorable>()("NotStorable", {
  subject: Schema.Literal("message", "entry"),
  problem: Schema.String
}) {
  override get message() {
    return `The ${this.subject} cannot be stored: ${this.problem}`
  }
}
