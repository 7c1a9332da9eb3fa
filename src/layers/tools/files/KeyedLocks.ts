/**
 * One permit for each key, for as long as one uses it or waits for it. Not RcMap: two that ask at once may each be given a semaphore of
 * their own, and then both have the permit (docs/decisions/0047-keyed-locks.md).
 */
import * as Effect from "effect/Effect"

interface Lock {
  readonly semaphore: Effect.Semaphore
  users: number
}

/** Runs one effect a key at a time. An interrupt ends the wait. */
export const make = <K>() => {
  const locks = new Map<K, Lock>()
  const enter = (key: K) =>
    Effect.sync(() => {
      const lock = locks.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
      lock.users++
      locks.set(key, lock)
      return lock
    })
  const leave = (key: K, lock: Lock) =>
    Effect.sync(() => {
      lock.users--
      if (lock.users === 0) locks.delete(key)
    })
  return (key: K) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        enter(key),
        ({ semaphore }) => semaphore.withPermits(1)(work),
        (lock) => leave(key, lock)
      )
}
