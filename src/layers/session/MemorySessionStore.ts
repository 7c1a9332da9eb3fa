/** Stores sessions in memory, for as long as the process lives or until they are left. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type SessionEntry, type SessionHeader, sessionVersion } from "../../domain/session/SessionEntry.ts"
import { Ids } from "../../services/Ids.ts"
import {
  AmbiguousSession,
  type NewSession,
  SessionInUse,
  type SessionLog,
  SessionNotFound,
  SessionStore
} from "../../services/session/SessionStore.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import * as SessionSummaries from "./SessionSummaries.ts"

interface Kept {
  readonly header: SessionHeader
  readonly entries: Array<SessionEntry>
  open: boolean
}

interface Options {
  readonly cwd: string
  /** Drops a session when it is closed. Nobody can open it again, and its memory is free. */
  readonly forgets?: boolean
}

export const make = Effect.fnUntraced(function* ({ cwd, forgets = false }: Options) {
  const ids = yield* Ids
  const sessions = new Map<string, Kept>()

  const log = (kept: Kept) =>
    Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => {
          kept.open = true
        }),
        () =>
          Effect.sync(() => {
            kept.open = false
            if (forgets) sessions.delete(kept.header.id)
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
    const parent = parentSession === undefined ? {} : { parentSession }
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
    SessionSummaries.newestFirst(
      [...sessions.values()].map((kept) =>
        SessionSummaries.summary(SessionSummaries.factsOf(stored(kept)), Option.none())
      )
    )
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
