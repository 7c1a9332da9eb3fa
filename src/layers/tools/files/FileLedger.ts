/**
 * What the file tools of one session know about files: who may write one now, and which version the session has seen.
 * Made once for each session; paths are real ones, without links.
 */
import type * as Effect from "effect/Effect"
import * as KeyedLocks from "../../KeyedLocks.ts"

export interface FileLedger {
  /** Runs one piece of work per path at a time. It must contain both the read and the write of the file. */
  readonly exclusively: (path: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The session has read or written this version. */
  readonly saw: (path: string, version: string) => void
  /** The session has seen another version of the file. */
  readonly isStale: (path: string, version: string) => boolean
}

export const make = (): FileLedger => {
  const versions = new Map<string, string>()
  return {
    exclusively: KeyedLocks.make<string>(),
    saw: (path, version) => void versions.set(path, version),
    isStale: (path, version) => (versions.get(path) ?? version) !== version
  }
}

const ledgers = new WeakMap<object, FileLedger>()

/** The ledger that all tools of a session share. */
export const ofSession = (session: object): FileLedger => {
  const known = ledgers.get(session) ?? make()
  ledgers.set(session, known)
  return known
}
