/** The Session service: the tree of entries in memory, and the log that stores them. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { text, type ToolCall } from "../../domain/conversation/Content.ts"
import * as SessionContext from "../../domain/session/SessionContext.ts"
import type { NewEntry, OwnEntry, SessionEntry } from "../../domain/session/SessionEntry.ts"
import { settingsOf } from "../../domain/session/SessionSettings.ts"
import * as SessionTree from "../../domain/session/SessionTree.ts"
import { freshEntryId, Ids } from "../../services/Ids.ts"
import { EntryNotFound, Session } from "../../services/session/Session.ts"
import { type SessionGlance, type SessionLog, SessionStore } from "../../services/session/SessionStore.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import * as MemorySessionStore from "./MemorySessionStore.ts"
import * as Persistence from "./Persistence.ts"

interface Current {
  readonly log: SessionLog
  readonly scope: Scope.CloseableScope
  /** Built on first use. */
  readonly tree: SessionTree.SessionTree
  /** Answers questions without the tree, until the tree is built. */
  readonly glance: () => SessionGlance | undefined
  /** Entries of the tree that are not stored yet, in the order of the tree. */
  unstored: Array<OwnEntry>
}

/** The result that the model reads for a tool call that was running when the process ended (protocol.md 5.4). */
export const interruptedText = "Tool execution was interrupted (session recovery). Its effects are unknown."

const interrupted = ({ id: toolCallId, name: toolName }: ToolCall, timestamp: number): NewEntry => {
  const content = [text(interruptedText)]
  return { type: "message", message: { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp } }
}

/** Opens the session in a scope of its own, and closes that scope if opening fails. */
const enter = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const log = yield* Effect.onError(Scope.extend(open, scope), (cause) => Scope.close(scope, Exit.failCause(cause)))
    let tree: SessionTree.SessionTree | undefined
    const current: Current = {
      log,
      scope,
      get tree() {
        return (tree ??= SessionTree.make(log.entries))
      },
      glance: () => (tree === undefined ? log.glance : undefined),
      unstored: []
    }
    return current
  })

const tailOf = (current: Current, fits: (entry: SessionEntry) => boolean) =>
  current.glance()?.tail(fits) ?? current.tree.tail(fits)

interface Making {
  readonly ids: typeof Ids.Service
  readonly clock: Clock.Clock
}

/** Appends an entry to the leaf. */
const place = ({ clock, ids }: Making, current: Current, entry: NewEntry): OwnEntry => {
  const { tree } = current
  const timestamp = IsoTime.fromMillis(clock.unsafeCurrentTimeMillis())
  const placed: OwnEntry = { ...entry, id: freshEntryId(ids, tree.has), parentId: tree.leafId(), timestamp }
  tree.append(placed)
  current.unstored.push(placed)
  return placed
}

/**
 * Adds a result for each tool call that was running when the process ended, so that the conversation can go on. The
 * results are stored with the next entry: opening a session does not write to it.
 */
const recover = (making: Making, current: Current) => {
  const now = making.clock.unsafeCurrentTimeMillis()
  const calls = SessionContext.unansweredCalls(tailOf(current, SessionContext.endsCalls))
  for (const call of calls) place(making, current, interrupted(call, now))
}

/** `first` opens the initial session. */
export const make = <E, R>(first: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const making: Making = { ids: yield* Ids, clock: yield* Effect.clock }
    const persistence = Persistence.make()
    let current = yield* enter(first)
    yield* Effect.addFinalizer((exit) => Effect.suspend(() => Scope.close(current.scope, exit)))
    recover(making, current)

    const append = (entry: NewEntry) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const placed = place(making, current, entry)
          return Effect.as(persistence.drain(current), placed)
        })
      )

    const become = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const next = yield* enter(restore(open))
          recover(making, next)
          const left = current
          current = next
          persistence.reset()
          yield* Scope.close(left.scope, Exit.void)
        })
      )

    return Session.of({
      info: Effect.sync(() => ({
        header: current.log.header,
        sessionId: current.log.header.id,
        file: current.log.file,
        name: Option.orElse(current.glance()?.name ?? current.tree.name(), () =>
          Option.fromNullable(current.log.header.title)
        )
      })),
      append,
      sync: Effect.suspend(() => persistence.attempt(current.log.sync)),
      messages: Effect.sync(() => current.tree.conversation().slice()),
      messageCount: Effect.sync(() => current.glance()?.messageCount ?? current.tree.conversation().length),
      entries: Effect.sync(() => current.tree.entries.slice()),
      branch: Effect.sync(() => current.tree.branch()),
      tail: (fits) => Effect.sync(() => tailOf(current, fits)),
      branchTo: (entryId) =>
        Effect.suspend(() =>
          entryId === null || current.tree.has(entryId)
            ? Effect.succeed(current.tree.branch(entryId))
            : new EntryNotFound({ entryId })
        ),
      settings: Effect.sync(() => current.glance()?.settings ?? settingsOf(current.tree.branch())),
      leafId: Effect.sync(() => current.tree.leafId()),
      moveTo: (entryId) =>
        Effect.suspend(() =>
          current.tree.moveTo(entryId) ? Effect.void : new EntryNotFound({ entryId: entryId ?? "" })
        ),
      become,
      persistFailure: persistence.failure,
      hasLostWrites: persistence.hasLostWrites,
      watchFailures: persistence.watch
    })
  })

/** Starts with a new session of the store. */
export const layer = Layer.scoped(Session, make(Effect.flatMap(SessionStore, (store) => store.create({}))))

/** A store in memory with one session. */
export const layerMemory = (options: { readonly cwd: string }) =>
  Layer.provideMerge(Layer.orDie(layer), MemorySessionStore.layer(options))
