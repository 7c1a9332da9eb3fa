/** Stores sessions. When `append` returns, the entries are stored; when `sync` returns, they survive a power cut. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { SessionEntry, SessionHeader } from "../../domain/session/SessionEntry.ts"

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  reference: Schema.String
}) {
  override get message() {
    return `Session file not found: ${this.reference}`
  }
}

export class NotASession extends Schema.TaggedError<NotASession>()("NotASession", {
  reference: Schema.String,
  detail: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const detail = this.detail === undefined ? "" : ` (${this.detail})`
    return `Not a session file: ${this.reference}${detail}`
  }
}

/** Written by a later version of heddle, or of an agent with the same file format. */
export class NewerSession extends Schema.TaggedError<NewerSession>()("NewerSession", {
  reference: Schema.String,
  version: Schema.Finite
}) {
  override get message() {
    return `Session version ${this.version} is newer than supported: ${this.reference}`
  }
}

export class SessionInUse extends Schema.TaggedError<SessionInUse>()("SessionInUse", {
  reference: Schema.String,
  owner: Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })
}) {
  override get message() {
    const { host, pid, since } = this.owner
    return `Session is in use by another process (pid ${pid} on ${host} since ${since}): ${this.reference}`
  }
}

/** A beginning of an id that several sessions share. */
export class AmbiguousSession extends Schema.TaggedError<AmbiguousSession>()("AmbiguousSession", {
  reference: Schema.String,
  candidates: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Several sessions begin with ${this.reference}: ${this.candidates.join(", ")}`
  }
}

/** The store could not write: no space, no permission, or the medium is gone. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  operation: Schema.Literal("create", "open", "append", "sync", "list"),
  reference: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `Cannot ${this.operation} session ${this.reference}: ${this.detail}`
  }
}

/**
 * Another program deleted, replaced or changed the session's file. The store wrote everything again, to a file of its
 * own, and continues there.
 */
export class SessionMoved extends Schema.TaggedError<SessionMoved>()("SessionMoved", {
  reference: Schema.String,
  detail: Schema.String,
  file: Schema.String
}) {
  override get message() {
    return `Session file ${this.reference} ${this.detail}; the session was written again to ${this.file}`
  }
}

export type ReadFailure = SessionNotFound | NotASession | NewerSession | AmbiguousSession | StoreFailure
export type OpenFailure = ReadFailure | SessionInUse

/** An open session. This process is its only writer until the scope it was opened in closes. */
export interface SessionLog {
  readonly header: SessionHeader
  /** None for a session that lives in memory. Another one after a `SessionMoved`. */
  readonly file: Option.Option<string>
  /** The stored entries, oldest first, repaired and migrated to the current version. */
  readonly entries: ReadonlyArray<SessionEntry>
  /** Stores all entries or, after a failure, the first few of them. */
  readonly append: (entries: ReadonlyArray<SessionEntry>) => Effect.Effect<void, StoreFailure>
  readonly sync: Effect.Effect<void, StoreFailure>
  /** Calls `watcher` whenever the store had to continue in another file, until the scope closes. */
  readonly watchMoves?:
    | ((watcher: (moved: SessionMoved) => void) => Effect.Effect<void, never, Scope.Scope>)
    | undefined
}

/** A stored session, opened without the right to write it. */
export type StoredSession = Pick<SessionLog, "header" | "file" | "entries">

export interface NewSession {
  /** Chosen by the store where absent. */
  readonly sessionId?: string
  readonly parentSession?: string
  /** The initial entries: a copy of another session's branch. */
  readonly entries?: ReadonlyArray<SessionEntry>
  /** The path of the file; by default one in the folder of the store. */
  readonly path?: string
  /** File of the session whose artifacts are copied. */
  readonly artifactsOf?: string
}

export interface SessionSummary {
  readonly sessionId: string
  readonly file: Option.Option<string>
  readonly cwd: string
  readonly name: Option.Option<string>
  readonly createdAt: string
  readonly updatedAt: string
  readonly messageCount: number
  /** Text of the first user message, shortened. */
  readonly firstMessage: string
}

export interface SessionFolder {
  /** Creates a session for the store's working folder. Nothing is written before the first entry. */
  readonly create: (options: NewSession) => Effect.Effect<SessionLog, StoreFailure, Scope.Scope>
  /** Opens a session by path, id, or the beginning of an id. */
  readonly open: (reference: string) => Effect.Effect<SessionLog, OpenFailure, Scope.Scope>
  /** The same without the right to write, so it works while another process has the session open. */
  readonly read: (reference: string) => Effect.Effect<StoredSession, ReadFailure>
  /** A reference to the session of this folder that was written last. */
  readonly latest: Effect.Effect<Option.Option<string>, StoreFailure>
  readonly list: Effect.Effect<ReadonlyArray<SessionSummary>, StoreFailure>
}

export class SessionStore extends Context.Tag("heddle/services/storage/SessionStore")<
  SessionStore,
  SessionFolder & {
    /** The sessions of another folder; none if the store has no folders. */
    readonly folder: (path: string) => Option.Option<SessionFolder>
  }
>() {}
