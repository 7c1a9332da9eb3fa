/**
 * Where sessions are kept. A session that was opened belongs to one writer until its scope closes. What `append` has
 * answered is stored; what `sync` has answered survives a power cut.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { SessionEntry, SessionHeader } from "../../domain/session/SessionEntry.ts"
import type { SessionSettings } from "../../domain/session/SessionSettings.ts"

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

/** Written by a later version of this program or of a relative. */
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

/** A shorthand that fits several sessions. */
export class AmbiguousSession extends Schema.TaggedError<AmbiguousSession>()("AmbiguousSession", {
  reference: Schema.String,
  candidates: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Several sessions begin with ${this.reference}: ${this.candidates.join(", ")}`
  }
}

/** The medium refused: no space, no permission, gone. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  operation: Schema.Literal("create", "open", "append", "sync", "list"),
  reference: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `Cannot ${this.operation} session ${this.reference}: ${this.detail}`
  }
}

export type ReadFailure = SessionNotFound | NotASession | NewerSession | AmbiguousSession | StoreFailure
export type OpenFailure = ReadFailure | SessionInUse

/** What can be told of a session without reading all of it. */
export interface SessionGlance {
  readonly messageCount: number
  readonly name: Option.Option<string>
  /** What the active branch was left with. */
  readonly settings: SessionSettings
  /** The end of the active branch, back to the last entry that fits; undefined where that would be long. */
  readonly tail: (fits: (entry: SessionEntry) => boolean) => ReadonlyArray<SessionEntry> | undefined
}

/** An open session. This process is its only writer until the scope it was opened in closes. */
export interface SessionLog {
  readonly header: SessionHeader
  /** None for a session that lives in memory. */
  readonly file: Option.Option<string>
  /** What was there when it was opened, oldest first: repaired and brought to today's version. */
  readonly entries: ReadonlyArray<SessionEntry>
  /** Where it spares reading `entries`, which may then be made when they are first asked for. */
  readonly glance?: SessionGlance | undefined
  /** All of them or, after a failure, a prefix of them. */
  readonly append: (entries: ReadonlyArray<SessionEntry>) => Effect.Effect<void, StoreFailure>
  readonly sync: Effect.Effect<void, StoreFailure>
}

/** A session as it is kept, without the right to write it. */
export type StoredSession = Pick<SessionLog, "header" | "file" | "entries">

export interface NewSession {
  /** Chosen by the store where absent. */
  readonly sessionId?: string
  readonly parentSession?: string
  /** What it begins with: a copy of another session's branch. */
  readonly entries?: ReadonlyArray<SessionEntry>
  /** The path it gets, where the store keeps files; one beside the others otherwise. */
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

/** Sessions that are kept in one place. */
export interface SessionFolder {
  /** A new session of the folder the store works for. Nothing is written before it has an entry. */
  readonly create: (options: NewSession) => Effect.Effect<SessionLog, StoreFailure, Scope.Scope>
  /** By path, id, or the beginning of an id. */
  readonly open: (reference: string) => Effect.Effect<SessionLog, OpenFailure, Scope.Scope>
  /** The same without becoming its writer: also while somebody else is. */
  readonly read: (reference: string) => Effect.Effect<StoredSession, ReadFailure>
  /** A reference to the session of this folder that was written last. */
  readonly latest: Effect.Effect<Option.Option<string>, StoreFailure>
  /** Newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SessionSummary>, StoreFailure>
}

export class SessionStore extends Context.Tag("heddle/services/session/SessionStore")<
  SessionStore,
  SessionFolder & {
    /** The same in another place; none where sessions are not kept in places. */
    readonly folder: (path: string) => Option.Option<SessionFolder>
  }
>() {}
