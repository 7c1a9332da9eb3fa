/** What becomes of a session when its store fails: it goes on in memory, and whoever watches hears of it once. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OwnEntry } from "../../domain/SessionEntry.ts"
import type { SessionLog, StoreFailure } from "../../services/SessionStore.ts"

type Watcher = (failure: StoreFailure) => void

interface Source {
  readonly log: SessionLog
  unstored: ReadonlyArray<OwnEntry>
}

export const make = () => {
  const watchers = new Set<Watcher>()
  let failure = Option.none<StoreFailure>()
  let hasLostWrites = false

  const fail = (reason: StoreFailure) =>
    Effect.sync(() => {
      failure = Option.some(reason)
      hasLostWrites = true
      for (const watcher of watchers) watcher(reason)
    })

  /** Nothing is stored after the first failure: it would leave a gap. */
  const attempt = (effect: Effect.Effect<void, StoreFailure>) =>
    Effect.suspend(() => (Option.isSome(failure) ? Effect.void : Effect.catchAll(effect, fail)))

  const storeNext = (source: Source) =>
    Effect.suspend(() => {
      const next = source.unstored
      source.unstored = []
      return attempt(source.log.append(next))
    })

  let writing: Effect.Latch | undefined

  /** Returns when everything is stored. One at a time, in order; who finds somebody at it waits. */
  const drain = (source: Source): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (writing !== undefined) return Effect.zipRight(writing.await, drain(source))
      if (source.unstored.length === 0) return Effect.void
      const latch = (writing = Effect.unsafeMakeLatch(false))
      const done = Effect.suspend(() => {
        writing = undefined
        return latch.open
      })
      return Effect.zipRight(Effect.ensuring(storeNext(source), done), drain(source))
    })

  return {
    attempt,
    drain,
    /** Another session, another file. */
    reset: () => {
      failure = Option.none()
    },
    failure: Effect.sync(() => failure),
    hasLostWrites: Effect.sync(() => hasLostWrites),
    watch: (watcher: Watcher) =>
      Effect.acquireRelease(
        Effect.sync(() => void watchers.add(watcher)),
        () => Effect.sync(() => watchers.delete(watcher))
      )
  }
}
