/** Stores sessions in memory, for as long as the process lives or there is room. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type SessionEntry, type SessionHeader, sessionVersion } from "../../../domain/session/SessionEntry.ts"
import { defined } from "../../../domain/Values.ts"
import { Ids } from "../../../services/Ids.ts"
import {
  AmbiguousSession,
  type NewSession,
  SessionInUse,
  type SessionLog,
  SessionNotFound,
  SessionStore
} from "../../../services/storage/SessionStore.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import * as SessionSummaries from "./SessionSummaries.ts"

interface Kept {
  readonly header: SessionHeader
  readonly entries: Array<SessionEntry>
  open: boolean
}

interface Options {
  readonly cwd: string
  /**
   * Room for sessions that are not open, roughly in bytes. Those that were closed first make room for others, and
   * cannot be opened again. Without it all are kept.
   */
  readonly room?: number
}

/** Roughly the bytes that the value takes; more than `most` is not counted. */
const sizeOf = (root: unknown, most: number): number => {
  let size = 0
  const rest: Array<unknown> = [root]
  while (rest.length > 0 && size <= most) {
    const value = rest.pop()
    size += typeof value === "string" ? value.length + 32 : 32
    if (typeof value === "object" && value !== null) for (const child of Object.values(value)) rest.push(child)
  }
  return size
}

/** Keeps sessions that are closed as long as there is room for them. */
const makeShelf = (sessions: Map<string, Kept>, room: number) => {
  /** The sessions by size, in the order in which they were closed. */
  const closed = new Map<Kept, number>()
  let taken = 0
  const take = (kept: Kept) => {
    taken -= closed.get(kept) ?? 0
    closed.delete(kept)
  }
  return {
    take,
    put: (kept: Kept) => {
      if (room === Number.POSITIVE_INFINITY) return
      const size = sizeOf(kept.entries, room)
      closed.set(kept, size)
      taken += size
      for (const [oldest] of closed) {
        if (taken <= room) return
        take(oldest)
        sessions.delete(oldest.header.id)
      }
    }
  }
}

export const make = Effect.fnUntraced(function* ({ cwd, room = Number.POSITIVE_INFINITY }: Options) {
  const ids = yield* Ids
  const sessions = new Map<string, Kept>()
  const shelf = makeShelf(sessions, room)

  const log = (kept: Kept) =>
    Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => {
          kept.open = true
          shelf.take(kept)
        }),
        () =>
          Effect.sync(() => {
            kept.open = false
            shelf.put(kept)
          })
      ),
      {
        header: kept.header,
        file: Option.none(),
        entries: kept.entries.slice(),
        append: (entries) => Effect.sync(() => void kept.entries.push(...entries)),
        sync: Effect.void
      } satisfies SessionLog
    )

  const create = Effect.fnUntraced(function* ({ entries = [], parentSession, sessionId }: NewSession) {
    const id = sessionId ?? ids.next("session")
    const timestamp = yield* IsoTime.now
    const parent = defined({ parentSession })
    const header: SessionHeader = { type: "session", version: sessionVersion, id, timestamp, cwd, ...parent }
    const kept = { header, entries: entries.slice(), open: false }
    sessions.set(id, kept)
    return yield* log(kept)
  })

  const find = Effect.fnUntraced(function* (reference: string) {
    const exact = sessions.get(reference)
    const found =
      exact === undefined ? [...sessions.values()].filter(({ header }) => header.id.startsWith(reference)) : [exact]
    const [kept] = found
    if (kept === undefined) return yield* new SessionNotFound({ reference })
    if (found.length > 1) {
      return yield* new AmbiguousSession({ reference, candidates: found.map(({ header }) => header.id) })
    }
    return kept
  })

  const open = Effect.fnUntraced(function* (reference: string) {
    const kept = yield* find(reference)
    if (kept.open) {
      const owner = { pid: 0, host: "this process", since: kept.header.timestamp }
      return yield* new SessionInUse({ reference, owner })
    }
    return yield* log(kept)
  })

  const stored = ({ entries, header }: Kept) => ({ header, entries: entries.slice(), file: Option.none() })
  const list = Effect.sync(() =>
    SessionSummaries.newestFirst([...sessions.values()].map((kept) => SessionSummaries.summary(stored(kept))))
  )

  return SessionStore.of({
    create,
    open,
    read: (reference) => Effect.map(find(reference), stored),
    latest: Effect.map(list, ([first]) => Option.map(Option.fromNullable(first), ({ sessionId }) => sessionId)),
    list,
    folder: () => Option.none()
  })
})

export const layer = (options: Options) => Layer.effect(SessionStore, make(options))
