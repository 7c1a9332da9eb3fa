/** The Session service: a tree of entries in memory, and the log they are stored in. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { NewEntry, OwnEntry } from "../../domain/SessionEntry.ts"
import * as SessionTree from "../../domain/SessionTree.ts"
import { Ids } from "../../services/Ids.ts"
import { EntryNotFound, Session } from "../../services/Session.ts"
import { type SessionLog, SessionStore, type StoreFailure } from "../../services/SessionStore.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import * as MemorySessionStore from "./MemorySessionStore.ts"

interface Current {
  readonly log: SessionLog
  readonly scope: Scope.CloseableScope
  readonly tree: SessionTree.SessionTree
}

/** Opens in a scope of its own, which is closed when the opening fails. */
const enter = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const log = yield* Effect.onError(Scope.extend(open, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
    const current: Current = { log, scope, tree: SessionTree.make(log.entries) }
    return current
  })

/** `first` is the session it begins in. */
export const make = <E, R>(first: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    let current = yield* enter(first)
    let failure = Option.none<StoreFailure>()
    yield* Effect.addFinalizer((exit) => Effect.suspend(() => Scope.close(current.scope, exit)))

    /** Once a store has failed, what follows would leave a gap: the rest stays in memory. */
    const store = (effect: Effect.Effect<void, StoreFailure>) =>
      Effect.suspend(() =>
        Option.isSome(failure)
          ? Effect.void
          : Effect.catchAll(effect, (reason) =>
              Effect.sync(() => {
                failure = Option.some(reason)
              })
            )
      )

    const freshId = Effect.repeat(ids.next("entry"), { while: (id) => current.tree.has(id) })

    const append = Effect.fnUntraced(function* (entry: NewEntry) {
      const timestamp = yield* IsoTime.now
      const placed: OwnEntry = { ...entry, id: yield* freshId, parentId: current.tree.leafId(), timestamp }
      current.tree.append(placed)
      yield* store(current.log.append([placed]))
      return placed
    }, Effect.uninterruptible)

    return Session.of({
      info: Effect.sync(() => ({
        header: current.log.header,
        sessionId: current.log.header.id,
        file: current.log.file,
        name: Option.orElse(current.tree.name(), () => Option.fromNullable(current.log.header.title))
      })),
      append,
      sync: Effect.suspend(() => store(current.log.sync)),
      messages: Effect.sync(() => current.tree.conversation().slice()),
      messageCount: Effect.sync(() => current.tree.conversation().length),
      entries: Effect.sync(() => current.tree.entries.slice()),
      branch: Effect.sync(() => current.tree.branch()),
      tail: (fits) => Effect.sync(() => current.tree.tail(fits)),
      branchTo: (entryId) =>
        Effect.suspend(() =>
          entryId === null || current.tree.has(entryId)
            ? Effect.succeed(current.tree.branch(entryId))
            : new EntryNotFound({ entryId })
        ),
      leafId: Effect.sync(() => current.tree.leafId()),
      moveTo: (entryId) =>
        Effect.suspend(() =>
          current.tree.moveTo(entryId) ? Effect.void : new EntryNotFound({ entryId: entryId ?? "" })
        ),
      become: (open) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const next = yield* enter(restore(open))
            const left = current
            current = next
            failure = Option.none()
            yield* Scope.close(left.scope, Exit.void)
          })
        ),
      persistFailure: Effect.sync(() => failure)
    })
  })

/** Begins in a new session of the store. */
export const layer = Layer.scoped(Session, make(Effect.flatMap(SessionStore, (store) => store.create({}))))

/** A store in memory and a first session in it. */
export const layerMemory = (options: { readonly cwd: string }) =>
  Layer.provideMerge(Layer.orDie(layer), MemorySessionStore.layer(options))
