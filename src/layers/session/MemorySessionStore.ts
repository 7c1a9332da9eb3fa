/** Sessions that live as long as the process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plainText } from "../../domain/Content.ts"
import { type SessionEntry, type SessionHeader, sessionVersion } from "../../domain/SessionEntry.ts"
import { Ids } from "../../services/Ids.ts"
import {
  AmbiguousSession,
  type NewSession,
  SessionInUse,
  type SessionLog,
  SessionNotFound,
  SessionStore,
  type SessionSummary
} from "../../services/SessionStore.ts"
import * as IsoTime from "../platform/IsoTime.ts"

interface Kept {
  readonly header: SessionHeader
  readonly entries: Array<SessionEntry>
  open: boolean
}

const summary = ({ entries, header }: Kept): SessionSummary => {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))
  const names = entries.flatMap((entry) => (entry.type === "session_info" ? [entry.name] : []))
  const newest = entries.at(-1)?.timestamp ?? ""
  const first = messages.find((message) => message.role === "user")
  return {
    sessionId: header.id,
    file: Option.none(),
    cwd: header.cwd,
    name: Option.fromNullable(names.at(-1) ?? header.title),
    createdAt: header.timestamp,
    // A copy is younger than its entries.
    updatedAt: newest > header.timestamp ? newest : header.timestamp,
    messageCount: messages.length,
    firstMessage: first === undefined ? "" : plainText(first.content).slice(0, 200)
  }
}

export const make = Effect.fnUntraced(function* ({ cwd }: { readonly cwd: string }) {
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
    const id = sessionId ?? (yield* ids.next("session"))
    const timestamp = yield* IsoTime.now
    const parent = parentSession === undefined ? {} : { parentSession }
    const header: SessionHeader = { type: "session", version: sessionVersion, id, timestamp, cwd, ...parent }
    const kept = { header, entries: entries.slice(), open: false }
    sessions.set(id, kept)
    return yield* log(kept)
  })

  const open = Effect.fnUntraced(function* (reference: string) {
    const exact = sessions.get(reference)
    const found =
      exact === undefined ? [...sessions.values()].filter(({ header }) => header.id.startsWith(reference)) : [exact]
    const [kept] = found
    if (kept === undefined) return yield* new SessionNotFound({ reference })
    if (found.length > 1) {
      return yield* new AmbiguousSession({ reference, candidates: found.map(({ header }) => header.id) })
    }
    if (kept.open) {
      const owner = { pid: 0, host: "this process", since: kept.header.timestamp }
      return yield* new SessionInUse({ reference, owner })
    }
    return yield* log(kept)
  })

  return SessionStore.of({
    create,
    open,
    folder: () => Option.none(),
    list: Effect.sync(() =>
      [...sessions.values()].map(summary).toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt))
    )
  })
})

export const layer = (options: { readonly cwd: string }) => Layer.effect(SessionStore, make(options))
