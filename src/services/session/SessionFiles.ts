/** What one session knows of files: shared by its tools, and by code of extensions that edits files. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** Paths are real ones, without links. */
export interface FileLedger {
  /** Runs one piece of work per path at a time. It must contain both the read and the write of the file. */
  readonly exclusively: (path: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The session has read or written this version. */
  readonly saw: (path: string, version: string) => void
  /** The session has seen another version of the file. */
  readonly isStale: (path: string, version: string) => boolean
}

export class SessionFiles extends Context.Tag("heddle/services/session/SessionFiles")<
  SessionFiles,
  {
    /** Who may write a file now, and which version of it the session has seen. */
    readonly ledger: FileLedger
    /** The folder for output that is too long to be shown; none where the session is in no file. */
    readonly artifacts: Effect.Effect<Option.Option<string>>
  }
>() {}
