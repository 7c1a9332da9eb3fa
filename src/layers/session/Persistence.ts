/** What becomes of a session when its store fails: it goes on in memory, and whoever watches hears of it once. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OwnEntry } from "../../domain/session/SessionEntry.ts"
import type { SessionLog, StoreFailure } from "../../services/session/SessionStore.ts"

type Watcher = (failure: StoreFailure) => void

interface Source {
  readonly log: SessionLog
  unstored: Array<OwnEntry>
}

export const make = () => {
  const watchers = new Set<Watcher>()
  let failure = Option.none<StoreFailure>()
  let hasLostWrites = false

  const fail = (reason: StoreFailure) => {
    failure = Option.some(reason)
    hasLostWrites = true
    for (const watcher of watchers) watcher(reason)
  }

  /** Nothing is stored after the first failure: it would leave a gap. */
  const attempt = (effect: Effect.Effect<void, StoreFailure>) =>
    Effect.suspend(() =>
      Option.isSome(failure) ? Effect.void : Effect.catchAll(effect, (reason) => Effect.sync(() => fail(reason)))
    )

  let writing: Effect.Latch | undefined

  /**
   * Returns when everything is stored. One at a time, in order; who finds somebody at it waits. To be called
   * uninterruptibly: who has begun to write opens the way for the next.
   */
  const drain = (source: Source): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (writing !== undefined) return Effect.zipRight(writing.await, drain(source))
      if (source.unstored.length === 0) return Effect.void
      const next = source.unstored
      source.unstored = []
      return Option.isSome(failure) ? Effect.void : store(source, next)
    })

  const store = (source: Source, next: ReadonlyArray<OwnEntry>) => {
    const latch = (writing = Effect.unsafeMakeLatch(false))
    const goOn = () => {
      writing = undefined
      latch.unsafeOpen()
      return source.unstored.length === 0 ? Effect.void : drain(source)
    }
    return Effect.matchCauseEffect(source.log.append(next), {
      onSuccess: goOn,
      onFailure: (cause) => {
        const reason = Cause.failureOption(cause)
        if (Option.isSome(reason)) fail(reason.value)
        const after = goOn()
        return Option.isSome(reason) ? after : Effect.zipRight(after, Effect.failCause(Cause.stripFailures(cause)))
      }
    })
  }

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
