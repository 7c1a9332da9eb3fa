/** What extensions and embedders send into a session beside prompts (protocol.md 11.4): options, receipts and refusals. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AgentClosing } from "./Rejections.ts"
import { EntryNotFound } from "./session/Session.ts"

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

export interface StoredForExtensions {
  /** Stores data of an extension, and returns the id of its entry. */
  readonly append: (customType: string, data?: unknown) => Effect.Effect<string, NotStorable | AgentClosing>
  /** Undefined takes the label off the entry. */
  readonly setLabel: (entryId: string, label: string | undefined) => Effect.Effect<void, EntryNotFound | AgentClosing>
}

const none: StoredForExtensions = {
  append: () => new NotStorable({ subject: "entry", problem: "this session keeps none of extensions" }),
  setLabel: (entryId) => new EntryNotFound({ entryId })
}

/** What extensions store in a session beside the conversation: nothing without the module `extension entries`. */
export class ExtensionEntries extends Context.Reference<ExtensionEntries>()("heddle/services/ExtensionEntries", {
  defaultValue: () => none
}) {}
