/**
 * Going from one session to another, and from one branch to another. A run that is going on is ended first, with all
 * its events; when a change fails the agent is where it was, and a run is ended only once nothing else can fail
 * (but for `clone`, which copies what the run leaves). Prompts wait meanwhile.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelName } from "../../domain/session/SessionSettings.ts"
import type { CompactionFailed } from "../Compaction.ts"
import type { EntryNotFound } from "./Session.ts"
import type { OpenFailure, SessionSummary, StoreFailure } from "./SessionStore.ts"

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
