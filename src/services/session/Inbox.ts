/** What a program that stands between a host and a session needs of its messages beside the agent: the wire, a terminal. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BashExecutionMessage } from "../../domain/conversation/Message.ts"
import type { QueuedMessage } from "../../domain/conversation/MessageQueue.ts"

/** Where an abort stands among the commands of its host. */
export interface Place {
  /** All that was sent before it has ended or given way. */
  readonly isReached: () => boolean
}

export class Inbox extends Context.Tag("heddle/services/session/Inbox")<
  Inbox,
  {
    /**
     * Adds the result of a user's shell command to the conversation: at once when idle, otherwise when the run ends.
     * Has no effect in a session that the host has left.
     */
    readonly record: (message: BashExecutionMessage) => Effect.Effect<void>
    /** Whether this session has accepted a message with this id. */
    readonly isKnown: (clientMessageId: string) => Effect.Effect<boolean>
    /** Withdraws prompts that are still prepared or checked, and cancels the current compaction. */
    readonly withdraw: Effect.Effect<void>
    /** The same, also for those that begin before the place is reached. Returns when what was under way has ended. */
    readonly withdrawUntil: (place: Place) => Effect.Effect<void>
    /** An abort in two steps: `halt` may be interrupted, and what it took out of the queue waits for `handBack`. */
    readonly halt: Effect.Effect<void>
    /** Hands each message back once. While a halted run still ends, takes what is queued, and leaves the rest queued. */
    readonly handBack: Effect.Effect<ReadonlyArray<QueuedMessage>>
    /**
     * An abort for a host that leaves: only prompts with a waiting requester are handed back, with their reports, and the
     * rest stays queued in the session. Returns the effect that takes the prompts out of its file: to be run once their
     * senders could hear of it.
     */
    readonly leave: Effect.Effect<Effect.Effect<void>>
  }
>() {}
