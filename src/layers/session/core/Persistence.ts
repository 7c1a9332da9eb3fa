/** Keeps a session when its store fails: the session continues in memory, and watchers hear of the failure once. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { OwnEntry } from "../../../domain/session/SessionEntry.ts"
import { type SessionLog, type SessionMoved, StoreFailure } from "../../../services/storage/SessionStore.ts"

type Watcher = (failure: StoreFailure | SessionMoved) => void

/** An abort waits for a store that hangs, but no longer than this. */
export const deadline = "5 seconds"

interface Source {
  readonly log: SessionLog
  unstored: Array<OwnEntry>
}

type Operation = "append" | "sync"

const overdue = (operation: Operation, { file, header }: SessionLog) =>
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
  const scope = yield* Effect.scope
  const fork = yield* makeFork
  const watchers = new Set<Watcher>()
  let failure = Option.none<StoreFailure>()
  let hasLostWrites = false

  const report = (reason: StoreFailure | SessionMoved) => {
    hasLostWrites = true
    for (const watcher of watchers) watcher(reason)
  }

  const fail = (reason: StoreFailure) => {
    failure = Option.some(reason)
    report(reason)
  }

  const settle = (exit: Exit.Exit<void, StoreFailure>): Effect.Effect<void> => {
    if (Exit.isSuccess(exit)) return Effect.void
    const reason = Cause.failureOption(exit.cause)
    if (Option.isNone(reason)) return Effect.failCause(Cause.stripFailures(exit.cause))
    return Effect.sync(() => fail(reason.value))
  }

  /** The store goes on by itself after the deadline: it may or may not still write. */
  const inTime = (operation: Operation, log: SessionLog, fiber: Fiber.RuntimeFiber<void, StoreFailure>) =>
    // Timed in a fiber of the session: an interrupt of the caller would reach the children that the timer forks.
    Effect.suspend(() => {
      const onTimeout = () => overdue(operation, log)
      const timed = fork(Effect.timeoutFail(Fiber.join(fiber), { duration: deadline, onTimeout }))
      return Effect.flatMap(Fiber.await(timed), settle)
    })

  /** Nothing is stored after the first failure: it would leave a gap. */
  const sync = ({ log }: Source) =>
    Effect.suspend(() => {
      if (Option.isSome(failure)) return Effect.void
      const fiber = fork(log.sync)
      const exit = fiber.unsafePoll()
      return exit === null ? inTime("sync", log, fiber) : settle(exit)
    })

  /** The write that is under way, for the entries that come after it. */
  let writing: Deferred.Deferred<void> | undefined

  /**
   * Returns when everything is stored. One write at a time: entries that come meanwhile are stored together by the
   * next. Most stores answer at once; only one that does not is timed, and waited for by others.
   */
  const drain = (source: Source): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (writing !== undefined) return Effect.zipRight(Deferred.await(writing), drain(source))
      const next = source.unstored
      source.unstored = []
      if (next.length === 0 || Option.isSome(failure)) return Effect.void
      const fiber = fork(source.log.append(next))
      const exit = fiber.unsafePoll()
      if (exit !== null) return settle(exit)
      const done = (writing = Deferred.unsafeMake<void>(FiberId.none))
      const release = Effect.suspend(() => {
        writing = undefined
        return Deferred.succeed(done, undefined)
      })
      return Effect.ensuring(inTime("append", source.log, fiber), release)
    })

  return {
    drain,
    sync,
    /** Hears of the moves of a log until the session closes. Another log, another medium: a failure is forgotten. */
    enter: ({ watchMoves }: SessionLog) => {
      failure = Option.none()
      return watchMoves === undefined ? Effect.void : Scope.extend(watchMoves(report), scope)
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
