/**
 * The current session of a host, and its changes. A session is a scope: its agent, entries, queue, run, budget and
 * tools are built when it is opened and closed when the host leaves it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { optional } from "../../domain/conversation/Content.ts"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { ModelName } from "../../domain/session/SessionSettings.ts"
import type { Agent, EventSink } from "../Agent.ts"
import type { Inbox } from "./Inbox.ts"
import type { Allowance } from "../Budget.ts"
import type { CompactionFailed, Compactions } from "../Compaction.ts"
import type { ToolSet } from "../Tools.ts"
import type { Controls } from "./Controls.ts"
import type { Instructions } from "./Instructions.ts"
import type { Retries } from "./Retries.ts"
import type { EntryNotFound, Session } from "./Session.ts"
import type { SessionFiles } from "./SessionFiles.ts"
import type { SessionCore } from "./SessionCore.ts"
import type { OpenFailure, SessionLog, SessionSummary, StoreFailure } from "./SessionStore.ts"

/** `branch` takes user messages only. */
export class NotABranchPoint extends Schema.TaggedError<NotABranchPoint>()("NotABranchPoint", {
  entryId: Schema.String
}) {
  override get message() {
    return `Not a user message: ${this.entryId}`
  }
}

export class NothingToClone extends Schema.TaggedError<NothingToClone>()("NothingToClone", {}) {
  override get message() {
    return "Cannot clone session: no current entry selected"
  }
}

export class EmptySessionName extends Schema.TaggedError<EmptySessionName>()("EmptySessionName", {}) {
  override get message() {
    return "Session name cannot be empty"
  }
}

/** A hook keeps the host in its session, or on its branch. */
export class ChangeCancelled extends Schema.TaggedError<ChangeCancelled>()("ChangeCancelled", {
  /** The text of the message that a branch would have ended before. */
  text: optional(Schema.String)
}) {}

/** The model that `open` was asked for cannot be used. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  provider: Schema.String,
  modelId: Schema.String
}) {
  override get message() {
    return `Could not restore model ${this.provider}/${this.modelId}`
  }
}

/** The sessions of this process are in memory only. */
export class NoSessionFolders extends Schema.TaggedError<NoSessionFolders>()("NoSessionFolders", {}) {
  override get message() {
    return "open_session requires session persistence (omit --no-session)"
  }
}

export interface OpenOptions {
  /** Replaces the model that the session last used. */
  readonly model?: ModelName
}

export interface Destination {
  readonly entryId: string
  /** Adds a summary of the branch that is left at the destination. */
  readonly summarize?: boolean
}

/**
 * Changes of the current session, and of the branch in it. A change ends the run first, with all its events. When a
 * change fails, the host stays where it was; the run is ended only when nothing else can fail (except by `clone`, which
 * copies the messages of the run). Prompts wait during a change, and a session that the host has left refuses them.
 */
export interface SessionChanges {
  /** An empty session. Model, level, modes and host tools stay. */
  readonly create: (options: { readonly parentSession?: string }) => Effect.Effect<void, StoreFailure | ChangeCancelled>
  /** Opens another session by path or id, and restores its model and thinking level if they can be used. */
  readonly open: (
    reference: string,
    options?: OpenOptions
  ) => Effect.Effect<void, OpenFailure | ModelUnavailable | ChangeCancelled>
  /** Opens the newest session with messages in a folder, or creates one. Later sessions go there, too. */
  readonly openNewest: (
    folder: string,
    options?: OpenOptions
  ) => Effect.Effect<{ readonly resumed: boolean }, OpenFailure | ModelUnavailable | NoSessionFolders | ChangeCancelled>
  /** Creates a session that ends before this user message, and returns the text of the message. */
  readonly branch: (entryId: string) => Effect.Effect<string, NotABranchPoint | StoreFailure | ChangeCancelled>
  /** Creates a session with a copy of the branch up to this entry, which it has, too. */
  readonly copyUpTo: (entryId: string) => Effect.Effect<void, EntryNotFound | StoreFailure | ChangeCancelled>
  /** Creates a session with a copy of the active branch. */
  readonly clone: Effect.Effect<void, NothingToClone | StoreFailure | ChangeCancelled>
  /** Moves the leaf. For a user message its parent becomes the leaf, and its text is returned, to be edited. */
  readonly navigate: (
    destination: Destination
  ) => Effect.Effect<string | undefined, EntryNotFound | CompactionFailed | ChangeCancelled>
  /** Names the session. The name becomes one line without control characters. */
  readonly rename: (name: string) => Effect.Effect<void, EmptySessionName>
  /** The sessions in the folder where new ones are created, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SessionSummary>, StoreFailure>
}

/** The services of a session: those that every session has. What else its modules provide is in the context, too. */
export type SessionServices =
  | Agent
  | Allowance
  | Compactions
  | Controls
  | Inbox
  | Instructions
  | Retries
  | Session
  | SessionCore
  | SessionFiles
  | ToolSet

export class Sessions extends Context.Tag("heddle/services/session/Sessions")<
  Sessions,
  {
    /** The session that the host is in. Ask again after a change: a session that was left accepts nothing more. */
    readonly current: Effect.Effect<Context.Context<SessionServices>>
    readonly changes: Effect.Effect<SessionChanges>
    /**
     * A session beside the current one, until the scope closes. It starts with the model and modes that are in force,
     * and shares nothing but the services of the process.
     */
    readonly open: <E, R>(
      log: Effect.Effect<SessionLog, E, R | Scope.Scope>
    ) => Effect.Effect<Context.Context<SessionServices>, E, Scope.Scope | Exclude<R, Scope.Scope>>
    /** From now on prompts are refused, in sessions that are opened later, too. */
    readonly close: Effect.Effect<void>
    /** Notifies the hooks of the current session, once, that the process is about to end. */
    readonly farewell: Effect.Effect<void>
    /** The entries of the current session survive a power cut when this returns. */
    readonly sync: Effect.Effect<void>
    /** Whether the store failed for any session of the host. */
    readonly hasLostWrites: Effect.Effect<boolean>
    /**
     * Delivers the events of the current session until the scope closes, over every change: `enter` makes the sink for each
     * session that the host comes to, before that one can have a run.
     */
    readonly follow: (
      enter: (session: Context.Context<SessionServices>) => Effect.Effect<EventSink>
    ) => Effect.Effect<void, never, Scope.Scope>
    /** The same with one sink for all of them. `SessionChanged` stands between two. */
    readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
    /** The same as a Stream. */
    readonly subscribe: Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope>
  }
>() {}
