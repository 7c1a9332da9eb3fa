/**
 * Checks that every SessionStore must pass. Embedders run them on their own store, with an empty store for each check.
 * A failed check says what it expected.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "../../../domain/Json.ts"
import { text } from "../../../domain/conversation/Content.ts"
import { readEntry } from "../../../domain/session/EntryReading.ts"
import { type NewEntry, type SessionEntry, toJson } from "../../../domain/session/SessionEntry.ts"
import {
  type NewSession,
  type OpenFailure,
  SessionStore,
  type StoreFailure
} from "../../../services/storage/SessionStore.ts"

export class NotConforming extends Schema.TaggedError<NotConforming>()("NotConforming", { message: Schema.String }) {}

export interface Check {
  readonly name: string
  readonly run: Effect.Effect<void, NotConforming | OpenFailure | StoreFailure, SessionStore>
}

/** Later than the creation of the session, whenever the check runs. */
const time = (n: number) => `2999-01-01T00:00:${String(n).padStart(2, "0")}.000Z`

const entry = (n: number, added: NewEntry): SessionEntry => ({
  ...added,
  id: `0000000${n}`,
  parentId: n === 1 ? null : `0000000${n - 1}`,
  timestamp: time(n)
})

const userEntry = (n: number, words: string) =>
  entry(n, { type: "message", message: { role: "user", content: [text(words)], timestamp: n } })

const same = (what: string, actual: unknown, wanted: unknown) => {
  const [found, expected] = [Json.stringify(actual), Json.stringify(wanted)]
  return found === expected ? Effect.void : new NotConforming({ message: `${what}: ${found} is not ${expected}` })
}

const json = (entries: ReadonlyArray<SessionEntry>) => entries.map(toJson)

/** Creates a session, appends each list with one call, closes the session, and returns its id. */
const keep = (store: typeof SessionStore.Service, options: NewSession, ...lists: ReadonlyArray<Array<SessionEntry>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* store.create(options)
      for (const list of lists) yield* log.append(list)
      yield* log.sync
      return log.header.id
    })
  )

const failsWith = <A, E extends { readonly _tag: string }, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  tag: E["_tag"]
) =>
  Effect.flatMap(Effect.exit(effect), (exit) => {
    const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
    return same(what, Option.getOrUndefined(Option.map(failure, ({ _tag }) => _tag)), tag)
  })

const check = (name: string, body: (store: typeof SessionStore.Service) => Check["run"]): Check => ({
  name,
  run: Effect.flatMap(SessionStore, body)
})

/** Entries of another program: one of an unknown type, and one that reading converts. */
const foreign = [
  { type: "weather", id: "00000002", parentId: "00000001", timestamp: time(2), sky: { colour: "grey" } },
  {
    type: "message",
    id: "00000003",
    parentId: "00000002",
    timestamp: time(3),
    message: { role: "user", content: "plain text", timestamp: 3, mood: "fine" }
  }
].flatMap((value) => readEntry(value) ?? [])

export const checks: ReadonlyArray<Check> = [
  check("a session that is opened by its id has the appended entries, in order", (store) =>
    Effect.gen(function* () {
      const all = [userEntry(1, "one"), userEntry(2, "two"), userEntry(3, "three")]
      const id = yield* keep(store, {}, all.slice(0, 1), all.slice(1))
      const log = yield* Effect.scoped(store.open(id))
      yield* same("id", log.header.id, id)
      yield* same("entries", json(log.entries), json(all))
    })
  ),
  check("entries that are appended after reopening follow the earlier ones", (store) =>
    Effect.gen(function* () {
      const id = yield* keep(store, {}, [userEntry(1, "one")])
      yield* Effect.scoped(Effect.flatMap(store.open(id), (log) => log.append([userEntry(2, "two")])))
      const { entries } = yield* store.read(id)
      yield* same("entries", json(entries), json([userEntry(1, "one"), userEntry(2, "two")]))
    })
  ),
  check("the start of an id finds a session if it fits only one; a whole id always does", (store) =>
    Effect.gen(function* () {
      for (const sessionId of ["alpha", "alphabet", "beta"])
        yield* keep(store, { sessionId }, [userEntry(1, sessionId)])
      yield* same("beginning", (yield* store.read("be")).header.id, "beta")
      yield* same("whole", (yield* store.read("alpha")).header.id, "alpha")
      yield* failsWith("ambiguous", store.read("alp"), "AmbiguousSession")
      yield* failsWith("unknown", store.read("gamma"), "SessionNotFound")
      yield* failsWith("unknown to open", Effect.scoped(store.open("gamma")), "SessionNotFound")
    })
  ),
  check("an open session has one writer; others can read it, and can open it once it is closed", (store) =>
    Effect.gen(function* () {
      const id = yield* keep(store, {}, [userEntry(1, "one")])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* store.open(id)
          yield* failsWith("second writer", Effect.scoped(store.open(id)), "SessionInUse")
          yield* log.append([userEntry(2, "two")])
          yield* same("reader", (yield* store.read(id)).entries.length, 2)
        })
      )
      yield* same("afterwards", (yield* Effect.scoped(store.open(id))).entries.length, 2)
    })
  ),
  check("a session that starts with copied entries stores them and names its parent", (store) =>
    Effect.gen(function* () {
      const entries = [userEntry(1, "one"), userEntry(2, "two")]
      const id = yield* keep(store, { entries, parentSession: "elsewhere" }, [userEntry(3, "three")])
      const { entries: kept, header } = yield* store.read(id)
      yield* same("parent", header.parentSession, "elsewhere")
      yield* same("entries", json(kept), json([...entries, userEntry(3, "three")]))
    })
  ),
  check("entries of other programs stay unchanged", (store) =>
    Effect.gen(function* () {
      const all = [userEntry(1, "one"), ...foreign]
      const id = yield* keep(store, {}, all)
      yield* same("entries", json((yield* store.read(id)).entries), json(all))
    })
  ),
  check("the list has the newest session first, with name, message count and first message", (store) =>
    Effect.gen(function* () {
      yield* keep(store, { sessionId: "older" }, [userEntry(1, "first words"), userEntry(2, "more")])
      const name = entry(4, { type: "session_info", name: "named" })
      yield* keep(store, { sessionId: "newer" }, [userEntry(3, "other words"), name])
      const list = yield* store.list
      const shown = list.map(({ firstMessage, messageCount, name, sessionId, updatedAt }) => ({
        sessionId,
        name: Option.getOrNull(name),
        messageCount,
        firstMessage,
        updatedAt
      }))
      yield* same("list", shown, [
        { sessionId: "newer", name: "named", messageCount: 1, firstMessage: "other words", updatedAt: time(4) },
        { sessionId: "older", name: null, messageCount: 2, firstMessage: "first words", updatedAt: time(2) }
      ])
    })
  ),
  check("the latest session is the one written last, and can be opened", (store) =>
    Effect.gen(function* () {
      yield* same("empty store", Option.isNone(yield* store.latest), true)
      yield* keep(store, { sessionId: "older" }, [userEntry(1, "one")])
      yield* keep(store, { sessionId: "newer" }, [userEntry(2, "two")])
      const latest = Option.getOrElse(yield* store.latest, () => "none")
      yield* same("latest", (yield* Effect.scoped(store.open(latest))).header.id, "newer")
    })
  ),
  check("text of every kind is stored unchanged", (store) =>
    Effect.gen(function* () {
      const words = ["", "line\nline\r\n", "\u2028\u2029\u0000\u001b", "häß 漢字 🙂", '"quoted\\"', "x".repeat(300_000)]
      const all = words.map((word, n) => userEntry(n + 1, word))
      const id = yield* keep(store, {}, all)
      yield* same("entries", json((yield* store.read(id)).entries), json(all))
    })
  )
]
