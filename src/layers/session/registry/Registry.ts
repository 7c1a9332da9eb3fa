/**
 * The open sessions of a process. Each is open as long as there is a lease of it. What is counted is an instance, not an id: a
 * handoff gives an open session another id, and a session that is opened anew is there twice for a moment.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import type { OpenedLog } from "../../../services/session/Session.ts"
import type { OpenSession } from "./OpenSession.ts"

/** Builds a session around a log, with services of the process. */
export type Build = (kept: Ref.Ref<OpenedLog>) => Effect.Effect<OpenSession, never, Scope.Scope>

/** Builds with services of the process, which has a scope, too, but in the scope of the session. */
export const within = <A, E, R>(services: Context.Context<R>, build: Effect.Effect<A, E, R | Scope.Scope>) =>
  Effect.flatMap(Effect.scope, (scope) => Effect.provide(build, Context.add(services, Scope.Scope, scope)))

interface Instance {
  readonly kept: Ref.Ref<OpenedLog>
  readonly session: OpenSession
  readonly scope: Scope.CloseableScope
  /** False when another instance goes on with the log. */
  ownsLog: boolean
  leases: number
}

/** Holds a session until `release`. */
export interface Lease {
  readonly instance: Instance
  readonly session: OpenSession
  /** What is bound to this lease. */
  readonly scope: Scope.CloseableScope
}

/** Lets what was masked be interrupted again. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Sessions are opened from within others. A session must neither find the services of that one in its context, which would
 * keep it in memory, nor start fibers that cannot be interrupted, for which its close would wait for ever.
 */
const buildIn = (scope: Scope.CloseableScope, build: Effect.Effect<OpenSession, never, Scope.Scope>) =>
  Effect.mapInputContext<OpenSession, never, Scope.Scope, never>(Effect.interruptible(build), () =>
    Context.make(Scope.Scope, scope)
  )

/** A part that dies meanwhile is reported, and harms no other session. */
const close = (scope: Scope.CloseableScope): Effect.Effect<void> =>
  Effect.catchAllDefect(Scope.close(scope, Exit.void), (defect) =>
    Effect.logError("a part of a session died while the session was closed", defect)
  )

/** The log goes last: what the session has said is stored by then. */
const end = ({ kept, ownsLog, scope, session }: Instance): Effect.Effect<void> =>
  Effect.suspend(() => {
    session.control.leave()
    if (!ownsLog) return close(scope)
    return Effect.zipRight(
      close(scope),
      Effect.flatMap(Ref.get(kept), (log) => close(log.scope))
    )
  })

export const make = () => {
  const instances = new Set<Instance>()

  const lease = (instance: Instance): Effect.Effect<Lease> =>
    Effect.map(Scope.make(), (scope) => {
      instance.leases++
      return { instance, session: instance.session, scope }
    })

  const add = Effect.fnUntraced(function* (log: OpenedLog, build: Build, restore: Restore) {
    const [kept, scope] = [yield* Ref.make(log), yield* Scope.make()]
    const built = restore(buildIn(scope, build(kept)))
    const session = yield* Effect.onError(built, (cause) => Scope.close(scope, Exit.failCause(cause)))
    const instance: Instance = { kept, session, scope, ownsLog: true, leases: 0 }
    instances.add(instance)
    return yield* lease(instance)
  })

  return {
    /** Builds a session around a log, which is its own from now on, also if this fails. To be called under a mask. */
    open: (log: OpenedLog, build: Build, restore: Restore) =>
      Effect.onError(add(log, build, restore), (cause) => Scope.close(log.scope, Exit.failCause(cause))),
    /** The same around the log of a session that is left, which does not close it any more. If this fails, all is as before. */
    openAgain: (left: Lease, log: OpenedLog, build: Build, restore: Restore) =>
      Effect.tap(add(log, build, restore), () => {
        left.instance.ownsLog = false
      }),
    /** Holds the open session that has this id by now. To be called under a mask. */
    find: Effect.fnUntraced(function* (sessionId: string) {
      for (const instance of instances) {
        const { log } = yield* Ref.get(instance.kept)
        if (instance.ownsLog && log.header.id === sessionId) return yield* lease(instance)
      }
      return undefined
    }),
    /** The last lease of a session closes it. */
    release: ({ instance, scope }: Lease): Effect.Effect<void> =>
      Effect.zipRight(
        close(scope),
        Effect.suspend(() => {
          if (--instance.leases > 0) return Effect.void
          instances.delete(instance)
          return end(instance)
        })
      ),
    /** The ids of all open sessions. */
    ids: Effect.suspend(() =>
      Effect.forEach(instances, ({ kept }) => Effect.map(Ref.get(kept), ({ log }) => log.header.id))
    )
  }
}

export class Registry extends Context.Tag("heddle/layers/session/registry/Registry")<
  Registry,
  ReturnType<typeof make>
>() {}
