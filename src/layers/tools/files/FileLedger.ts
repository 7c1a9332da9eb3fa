/**
 * What the file tools of one session know about files: who may write one now, and which version the session has seen.
 * Made once for each session; paths are real ones, without links.
 */
import * as Effect from "effect/Effect"

export interface FileLedger {
  /** Runs one piece of work per path at a time. It must contain both the read and the write of the file. */
  readonly exclusively: (path: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The session has read or written this version. */
  readonly saw: (path: string, version: string) => void
  /** The session has seen another version of the file. */
  readonly isStale: (path: string, version: string) => boolean
}

interface Lock {
  readonly semaphore: Effect.Semaphore
  users: number
}

export const make = (): FileLedger => {
  const versions = new Map<string, string>()
  const locks = new Map<string, Lock>()

  const enter = (path: string) =>
    Effect.map(Effect.makeSemaphore(1), (semaphore) => {
      const lock = locks.get(path) ?? { semaphore, users: 0 }
      lock.users++
      locks.set(path, lock)
      return lock
    })

  const leave = (path: string, lock: Lock) =>
    Effect.sync(() => {
      lock.users--
      if (lock.users === 0) locks.delete(path)
    })

  return {
    exclusively: (path) => (work) =>
      Effect.acquireUseRelease(
        enter(path),
        (lock) => lock.semaphore.withPermits(1)(work),
        (lock) => leave(path, lock)
      ),
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
