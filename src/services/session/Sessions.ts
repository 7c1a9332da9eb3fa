/**
 * The session that a host is in, and how it goes to another one. A session is a scope: its agent, entries, queue, run,
 * budget and tools are built when it is opened and closed when the host leaves it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { ModelName } from "../../domain/session/SessionSettings.ts"
import type { Agent, EventSink } from "../Agent.ts"
import type { CompactionFailed } from "../Compaction.ts"
import type { EntryNotFound, Session } from "./Session.ts"
import type { OpenFailure, SessionLog, SessionSummary, StoreFailure } from "./SessionStore.ts"

/** Only a message of the user can be said anew. */
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

/** The model that was asked for together with a session. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  provider: Schema.String,
  modelId: Schema.String
}) {
  override get message() {
    return `Could not restore model ${this.provider}/${this.modelId}`
  }
}

/** Sessions of this process are in memory only. */
export class NoSessionFolders extends Schema.TaggedError<NoSessionFolders>()("NoSessionFolders", {}) {
  override get message() {
    return "open_session requires session persistence (omit --no-session)"
  }
}

export interface OpenOptions {
  /** Instead of the one that the session was left with. */
  readonly model?: ModelName
}

export interface Destination {
  readonly entryId: string
  /** Puts a summary of what is left behind at the new place. */
  readonly summarize?: boolean
}

/**
 * Going from one session to another, and from one branch to another. A run that is under way is ended first, with all
 * its events. When a change fails the host is where it was, and a run is ended only once nothing else can fail (but for
 * `clone`, which copies what the run leaves). Prompts wait meanwhile, and are refused by a session that was left.
 */
export interface SessionChanges {
  /** An empty session. Model, level, modes and host tools stay. */
  readonly create: (options: { readonly parentSession?: string }) => Effect.Effect<void, StoreFailure>
  /** Another session by path or id, with its model and thinking level as far as they can be had. */
  readonly open: (reference: string, options?: OpenOptions) => Effect.Effect<void, OpenFailure | ModelUnavailable>
  /** The newest session of a folder that has messages, or a new one there; later ones are made there, too. */
  readonly openNewest: (
    folder: string,
    options?: OpenOptions
  ) => Effect.Effect<{ readonly resumed: boolean }, OpenFailure | ModelUnavailable | NoSessionFolders>
  /** A new session that ends before this message of the user; answers its text. */
  readonly branch: (entryId: string) => Effect.Effect<string, NotABranchPoint | StoreFailure>
  /** A new session with the active branch in it. */
  readonly clone: Effect.Effect<void, NothingToClone | StoreFailure>
  /** Within the session. A message of the user is left out, to be said anew, and its text is the answer. */
  readonly navigate: (destination: Destination) => Effect.Effect<string | undefined, EntryNotFound | CompactionFailed>
  /** On one line, without control characters. */
  readonly rename: (name: string) => Effect.Effect<void, EmptySessionName>
  /** What is stored where new sessions go, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SessionSummary>, StoreFailure>
}

/** What belongs to one session. */
export type SessionServices = Agent | Session

export class Sessions extends Context.Tag("heddle/services/session/Sessions")<
  Sessions,
  {
    /** The session that the host is in. Ask again after a change: a session that was left accepts nothing more. */
    readonly current: Effect.Effect<Context.Context<SessionServices>>
    /** Loaded when it is first asked for. */
    readonly changes: Effect.Effect<SessionChanges>
    /**
     * A session beside the current one, until the scope closes. It starts with the model and modes that are in force,
     * and shares nothing but the services of the process.
     */
    readonly open: <E, R>(
      log: Effect.Effect<SessionLog, E, R | Scope.Scope>
    ) => Effect.Effect<Context.Context<SessionServices>, E, Scope.Scope | Exclude<R, Scope.Scope>>
    /**
     * Ends something in the current session, and again whenever a prompt is being checked or a compaction begins
     * before `until` is done. Returns then.
     */
    readonly endUntil: (
      until: Effect.Effect<void>,
      end: (agent: typeof Agent.Service) => Effect.Effect<void>
    ) => Effect.Effect<void>
    /** From now on prompts are refused, in sessions that are opened later, too. */
    readonly close: Effect.Effect<void>
    /** What was said in the current session survives a power cut when this returns. */
    readonly sync: Effect.Effect<void>
    /** Whether any session of the host could not be stored. */
    readonly hasLostWrites: Effect.Effect<boolean>
    /** Delivers the events of the current session, over every change, until the scope closes. */
    readonly attach: (sink: EventSink) => Effect.Effect<void, never, Scope.Scope>
    /** The same as a Stream. */
    readonly subscribe: Effect.Effect<Stream.Stream<AgentEvent>, never, Scope.Scope>
  }
>() {}
