/** The Session service: a tree of entries in memory, and the log they are stored in. Owns the tree; the log is in CurrentLog. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { type JsonObject, text, type ToolCall } from "../../../domain/conversation/Content.ts"
import type { ToolResultMessage } from "../../../domain/conversation/Message.ts"
import * as LateEntries from "../../../domain/session/LateEntries.ts"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import * as SessionContext from "../../../domain/session/SessionContext.ts"
import type { NewEntry, OwnEntry, SessionEntry } from "../../../domain/session/SessionEntry.ts"
import { settingsOf } from "../../../domain/session/SessionSettings.ts"
import * as SessionTree from "../../../domain/session/SessionTree.ts"
import { defined } from "../../../domain/Values.ts"
import { freshEntryId, Ids } from "../../../services/Ids.ts"
import {
  CurrentLog,
  EntryNotFound,
  type OpenedLog,
  Session,
  type SessionInfo
} from "../../../services/session/Session.ts"
import type { SessionLog } from "../../../services/storage/SessionStore.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import * as LostWork from "../../delegation/subagents/LostWork.ts"
import * as Persistence from "./Persistence.ts"

/** A log and the tree of its entries. */
interface Current extends OpenedLog {
  readonly tree: SessionTree.SessionTree
  readonly epoch: string
  /** Entries of the tree that are not stored yet, in the order of the tree. */
  unstored: Array<OwnEntry>
}

/** The result that the model reads for a tool call that was running when the process ended (protocol.md 5.4). */
export const interruptedText = "Tool execution was interrupted (session recovery). Its effects are unknown."

const interrupted = (
  { id: toolCallId, name: toolName }: ToolCall,
  details: JsonObject | undefined,
  timestamp: number
): NewEntry => {
  const result = { content: [text(interruptedText)], ...defined({ details }) }
  const message: ToolResultMessage = { role: "toolResult", toolCallId, toolName, ...result, isError: true, timestamp }
  return { type: "message", message, call: "cut_off" }
}

/** What the subagents of the calls had spent, which only their transcripts have. */
const lostWork = (turn: ReadonlyArray<SessionEntry>, file: Option.Option<string>) =>
  Option.match(file, {
    onNone: () => Effect.succeed(undefined),
    onSome: (path) => LostWork.detailsOf(path, turn)
  })

/** Opens a log in a scope of its own, which is closed when the opening fails. */
export const openLog = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const opened = restore(Scope.extend(open, scope))
      const log = yield* Effect.onError(opened, (cause) => Scope.close(scope, Exit.failCause(cause)))
      return { log, scope } satisfies OpenedLog
    })
  )

const enter = ({ log, scope }: OpenedLog, epoch: string): Current => ({
  log,
  scope,
  epoch,
  tree: SessionTree.make(log.entries),
  unstored: []
})

interface Making {
  readonly ids: typeof Ids.Service
  readonly clock: Clock.Clock
}

/** Appends an entry to the leaf. */
const insert = ({ clock, ids }: Making, current: Current, entry: NewEntry): OwnEntry => {
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
const recover = Effect.fnUntraced(function* (making: Making, current: Current) {
  const turn = current.tree.tail(SessionContext.endsCalls)
  const calls = SessionContext.unansweredCalls(turn)
  if (calls.length === 0) return
  const task = calls.find(({ name }) => name === "task")
  const lost = task === undefined ? undefined : yield* lostWork(turn, current.log.file)
  const now = making.clock.unsafeCurrentTimeMillis()
  for (const call of calls) insert(making, current, interrupted(call, call === task ? lost : undefined, now))
})

export const make = (kept: Ref.Ref<OpenedLog>) =>
  Effect.gen(function* () {
    const making: Making = { ids: yield* Ids, clock: yield* Effect.clock }
    const persistence = yield* Persistence.make
    let current = enter(yield* Ref.get(kept), making.ids.next("epoch"))
    yield* persistence.enter(current.log)
    const late = LateEntries.restore(current.tree.entries)
    yield* recover(making, current)
    // The run for whose end they waited has ended with its process.
    for (const record of late) insert(making, current, LateEntries.stored(record))

    const info = (): SessionInfo => ({
      header: current.log.header,
      sessionId: current.log.header.id,
      epoch: current.epoch,
      file: current.log.file,
      name: Option.orElse(current.tree.name(), () => Option.fromNullable(current.log.header.title))
    })

    const append = (entry: NewEntry) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const placed = insert(making, current, entry)
          return Effect.as(persistence.drain(current), placed)
        })
      )

    const continueIn = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const opened = yield* restore(openLog(open))
          const left = current
          current = enter(opened, making.ids.next("epoch"))
          yield* recover(making, current)
          yield* persistence.enter(current.log)
          yield* Ref.set(kept, opened)
          yield* Scope.close(left.scope, Exit.void)
          return info()
        })
      )

    return Session.of({
      info: Effect.sync(info),
      append,
      sync: Effect.suspend(() => persistence.sync(current)),
      messages: Effect.sync(() => current.tree.conversation().slice()),
      betweenAttempts: Effect.sync(() => current.tree.betweenAttempts()),
      messageCount: Effect.sync(() => current.tree.conversation().length),
      entries: Effect.sync(() => current.tree.entries.slice()),
      queued: Effect.sync(() => QueueEntries.restore(current.tree.entries)),
      branch: Effect.sync(() => current.tree.branch()),
      tail: (fits) => Effect.sync(() => current.tree.tail(fits)),
      branchTo: (entryId) =>
        Effect.suspend(() =>
          entryId === null || current.tree.has(entryId)
            ? Effect.succeed(current.tree.branch(entryId))
            : new EntryNotFound({ entryId })
        ),
      settings: Effect.sync(() => settingsOf(current.tree.branch())),
      leafId: Effect.sync(() => current.tree.leafId()),
      moveTo: (entryId) =>
        Effect.suspend(() =>
          current.tree.moveTo(entryId) ? Effect.void : new EntryNotFound({ entryId: entryId ?? "" })
        ),
      continueIn,
      persistFailure: persistence.failure,
      hasLostWrites: persistence.hasLostWrites,
      watchFailures: persistence.watch
    })
  })

export const layer = Layer.scoped(Session, Effect.flatMap(CurrentLog, make))

/** For a single session: its log is opened and closed with the layer. */
export const layerLog = <E, R>(open: Effect.Effect<SessionLog, E, R | Scope.Scope>) =>
  Layer.scoped(
    CurrentLog,
    Effect.acquireRelease(Effect.flatMap(openLog(open), Ref.make), (kept, exit) =>
      Effect.flatMap(Ref.get(kept), ({ scope }) => Scope.close(scope, exit))
    )
  )
