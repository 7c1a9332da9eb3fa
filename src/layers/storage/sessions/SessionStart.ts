/** Opens the initial session that the options of a process choose (protocol.md 1.1). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as QueueEntries from "../../../domain/session/QueueEntries.ts"
import { cleanName } from "../../../domain/session/SessionEntry.ts"
import type { Session } from "../../../services/session/Session.ts"
import { SessionStore } from "../../../services/storage/SessionStore.ts"
import * as SessionFolders from "./SessionFolders.ts"

export interface SessionChoice {
  /** At most one of `session`, `continue`, `fork` and `sessionId` is given. */
  readonly session?: string
  readonly continue?: boolean
  readonly fork?: string
  /** Opens the session with this id, or creates one. */
  readonly sessionId?: string
  readonly name?: string
}

type Store = typeof SessionStore.Service

/** A path without a file becomes the path of a new session. */
const openOrCreate = (store: Store, reference: string) =>
  Effect.catchIf(
    store.open(reference),
    ({ _tag }) => _tag === "SessionNotFound" && SessionFolders.isPath(reference),
    () => store.create({ path: reference })
  )

const fork = Effect.fnUntraced(function* (store: Store, reference: string) {
  const { entries, file } = yield* store.read(reference)
  const from = Option.match(file, {
    onNone: () => ({}),
    onSome: (path) => ({ parentSession: path, artifactsOf: path })
  })
  return yield* store.create({ entries: QueueEntries.without(entries), ...from })
})

const continued = Effect.fnUntraced(function* (store: Store) {
  const latest = yield* store.latest
  return yield* Option.isSome(latest) ? store.open(latest.value) : store.create({})
})

/** Opens a session only if the whole id is the same: a prefix is not enough here. */
const withId = Effect.fnUntraced(function* (store: Store, sessionId: string) {
  const kept = yield* Effect.option(store.read(sessionId))
  const isThere = Option.exists(kept, ({ header }) => header.id === sessionId)
  return yield* isThere ? store.open(sessionId) : store.create({ sessionId })
})

/** Opens the log of the session that the options name. */
export const openLog = Effect.fnUntraced(function* (choice: SessionChoice) {
  const store = yield* SessionStore
  if (choice.session !== undefined) return yield* openOrCreate(store, choice.session)
  if (choice.fork !== undefined) return yield* fork(store, choice.fork)
  if (choice.sessionId !== undefined) return yield* withId(store, choice.sessionId)
  return yield* choice.continue === true ? continued(store) : store.create({})
})

/** Gives the session the name that the options ask for. */
export const rename = Effect.fnUntraced(function* (choice: SessionChoice, session: typeof Session.Service) {
  const name = cleanName(choice.name ?? "")
  const info = yield* session.info
  if (name !== undefined && !Option.contains(info.name, name)) yield* session.append({ type: "session_info", name })
})
