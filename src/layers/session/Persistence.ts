/** Keeps a session when its store fails: the session continues in memory, and watchers hear of the failure once. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { OwnEntry } from "../../domain/session/SessionEntry.ts"
import { type SessionLog, StoreFailure } from "../../services/session/SessionStore.ts"
import { exclusively } from "../Exclusively.ts"

type Watcher = (failure: StoreFailure) => void

/** An abort waits for a store that hangs, but no longer than this. */
export const deadline = "5 seconds"

interface Source {
  readonly log: SessionLog
  unstored: Array<OwnEntry>
}

const overdue = (operation: "append" | "sync", { file, header }: SessionLog) =>
  new StoreFailure({
    operation,
    reference: Option.getOrElse(file, () => header.id),
    detail: `the store did not answer within ${deadline}`
  })

/** Starts fibers at once and ends them with the scope, which waits for a store that hangs no longer than the deadline. */
const makeFork = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const fibers = yield* Scope.extend(FiberSet.make<void, StoreFailure>(), scope)
  yield* Effect.addFinalizer((exit) => {
    const close = Scope.close(scope, exit)
    if (Iterable.isEmpty(fibers)) return close
    return Effect.timeoutOption(Effect.interruptible(Effect.disconnect(close)), deadline)
  })
  return yield* FiberSet.runtime(fibers)<never>()
})

export const make = Effect.gen(function* () {
  const fork = yield* makeFork
  const writing = yield* Effect.makeSemaphore(1)
  const watchers = new Set<Watcher>()
  let failure = Option.none<StoreFailure>()
  let hasLostWrites = false

  const fail = (reason: StoreFailure) => {
    failure = Option.some(reason)
    hasLostWrites = true
    for (const watcher of watchers) watcher(reason)
  }

  /**
   * Most stores answer at once; only one that does not is timed. It goes on by itself after the deadline: nobody can
   * tell whether it will still write.
   */
  const inTime = (operation: "append" | "sync", log: SessionLog, effect: Effect.Effect<void, StoreFailure>) =>
    Effect.suspend(() => {
      const fiber = fork(effect)
      return (
        fiber.unsafePoll() ??
        // Its caller is masked, and only what can be interrupted can be timed.
        Effect.timeoutFail(Effect.interruptible(Fiber.join(fiber)), {
          duration: deadline,
          onTimeout: () => overdue(operation, log)
        })
      )
    })

  /** Nothing is stored after the first failure: it would leave a gap. */
  const attempt = (operation: "append" | "sync", log: SessionLog, effect: Effect.Effect<void, StoreFailure>) =>
    Effect.suspend(() =>
      Option.isSome(failure)
        ? Effect.void
        : Effect.catchAll(inTime(operation, log, effect), (reason) => Effect.sync(() => fail(reason)))
    )

  const storeAll = (source: Source) =>
    Effect.suspend(() => {
      const next = source.unstored
      source.unstored = []
      return next.length === 0 ? Effect.void : attempt("append", source.log, source.log.append(next))
    })

  return {
    /** Returns when everything is stored. One write at a time: who waits finds its entries stored by the one before. */
    drain: (source: Source): Effect.Effect<void> => exclusively(writing)(storeAll(source)),
    sync: ({ log }: Source) => attempt("sync", log, log.sync),
    /** Another log, another medium. */
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
})
