/**
 * One session: its entries as a tree, and the log that keeps them. Appending never fails: when the store does, the
 * session continues in memory and says so once (`persistFailure`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AgentMessage } from "../../domain/conversation/Message.ts"
import type { QueuedMessage } from "../../domain/conversation/MessageQueue.ts"
import type { NewEntry, OwnEntry, SessionEntry, SessionHeader } from "../../domain/session/SessionEntry.ts"
import type { SessionSettings } from "../../domain/session/SessionSettings.ts"
import type { SessionLog, SessionMoved, StoreFailure } from "../storage/SessionStore.ts"

export class EntryNotFound extends Schema.TaggedError<EntryNotFound>()("EntryNotFound", { entryId: Schema.String }) {
  override get message() {
    return `Entry not found: ${this.entryId}`
  }
}

export interface SessionInfo {
  readonly header: SessionHeader
  readonly sessionId: string
  /** Another one each time the session is opened, and after a handoff. */
  readonly epoch: string
  readonly file: Option.Option<string>
  readonly name: Option.Option<string>
}

export class Session extends Context.Tag("heddle/services/session/Session")<
  Session,
  {
    readonly info: Effect.Effect<SessionInfo>
    /** The new child of the leaf, which becomes the leaf (but for queue entries). It is stored when this returns. */
    readonly append: (entry: NewEntry) => Effect.Effect<OwnEntry>
    /** What was appended so far survives a power cut when this returns. */
    readonly sync: Effect.Effect<void>
    /** The conversation on the active branch, compactions applied, oldest first (protocol.md 9.5). */
    readonly messages: Effect.Effect<ReadonlyArray<AgentMessage>>
    /** Those of them that came between two attempts at a model call: the attempt before each was tried again. */
    readonly betweenAttempts: Effect.Effect<ReadonlySet<AgentMessage>>
    readonly messageCount: Effect.Effect<number>
    /** Every entry, in the order in which they were appended. */
    readonly entries: Effect.Effect<ReadonlyArray<SessionEntry>>
    /** The messages that were still queued when the session was opened, or are queued by now (protocol.md 9.3). */
    readonly queued: Effect.Effect<ReadonlyArray<QueuedMessage>>
    /** The entries from the root to the leaf. */
    readonly branch: Effect.Effect<ReadonlyArray<SessionEntry>>
    /** The end of the branch from the newest entry that fits, or all of it. Its cost grows with the result only. */
    readonly tail: (fits: (entry: SessionEntry) => boolean) => Effect.Effect<ReadonlyArray<SessionEntry>>
    /** The branch as it would be with another leaf; null means before the first entry. */
    readonly branchTo: (entryId: string | null) => Effect.Effect<ReadonlyArray<SessionEntry>, EntryNotFound>
    /** The last model and thinking level that entries of the branch name. */
    readonly settings: Effect.Effect<SessionSettings>
    readonly leafId: Effect.Effect<string | null>
    /** Moves the leaf; null means before the first entry. */
    readonly moveTo: (entryId: string | null) => Effect.Effect<void, EntryNotFound>
    /** A handoff: continues the conversation in another log. Opens that one and, only if that worked, closes this one. */
    readonly continueIn: <E, R>(
      open: Effect.Effect<SessionLog, E, R | Scope.Scope>
    ) => Effect.Effect<SessionInfo, E, Exclude<R, Scope.Scope>>
    /** The first failure to store something, while this session goes on in memory. */
    readonly persistFailure: Effect.Effect<Option.Option<StoreFailure>>
    /**
     * Whether there was such a failure since the session was opened, in this log or one before a handoff, or another
     * program took the session's file away.
     */
    readonly hasLostWrites: Effect.Effect<boolean>
    /** Calls `watcher` at each of these, until the scope closes. */
    readonly watchFailures: (
      watcher: (failure: StoreFailure | SessionMoved) => void
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

export interface OpenedLog {
  readonly log: SessionLog
  readonly scope: Scope.CloseableScope
}

/** The log that a session is built around, for the layers that build it. A handoff replaces the log. */
export class CurrentLog extends Context.Tag("heddle/services/session/CurrentLog")<CurrentLog, Ref.Ref<OpenedLog>>() {}
