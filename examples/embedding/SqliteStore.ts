/**
 * Sessions in an SQL database, here SQLite, which Bun and Node 22 have built in: a row for each session and for each of its
 * entries. Copy it and change the statements for another database. test/examples/SqliteStore.test.ts checks it with the
 * `StoreConformance` of heddle/testing.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { Clock, Effect, Either, Layer, Option, Schema } from "effect"
// In a program of your own: from "heddle".
import { EntryReading, Ids, SessionEntry, SessionStore, SessionSummaries } from "../../src/index.ts"

const { AmbiguousSession, NotASession, SessionInUse, SessionNotFound, StoreFailure } = SessionStore
type Header = SessionEntry.SessionHeader

const tables = `
  create table if not exists session (id text primary key, header text not null, owner integer);
  create table if not exists entry (session text, place integer, json text not null, primary key (session, place));
`

const open = ({ path }: { readonly path: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path)),
    (database) => Effect.sync(() => database.close())
  ).pipe(Effect.tap((database) => Effect.sync(() => database.exec(tables))))

const make = Effect.fnUntraced(function* (options: { readonly path: string; readonly cwd: string }) {
  const ids = yield* Ids.Ids
  const database = yield* open(options)

  const rows = (sql: string, ...values: ReadonlyArray<SQLInputValue>) => database.prepare(sql).all(...values)
  const attempt = <A>(operation: typeof StoreFailure.Type.operation, reference: string, work: () => A) =>
    Effect.try({ try: work, catch: (cause) => new StoreFailure({ operation, reference, detail: String(cause) }) })

  const entriesOf = (id: string) =>
    rows("select json from entry where session = ? order by place", id).flatMap(
      ({ json }) => EntryReading.readEntry(JSON.parse(String(json))) ?? []
    )

  /** All entries or none. The row of the session comes with its first entries. */
  const insert = (header: Header, entries: ReadonlyArray<SessionEntry.SessionEntry>) => {
    const add = database.prepare(
      "insert into entry select ?, coalesce(max(place), 0) + 1, ? from entry where session = ?"
    )
    database.exec("begin immediate")
    try {
      rows("insert or ignore into session values (?, ?, ?)", header.id, JSON.stringify(header), process.pid)
      for (const entry of entries) add.run(header.id, JSON.stringify(SessionEntry.toJson(entry)), header.id)
      database.exec("commit")
    } catch (error) {
      database.exec("rollback")
      throw error
    }
  }

  /** An id, or the beginning of one. */
  const find = Effect.fnUntraced(function* (reference: string) {
    const found = yield* attempt("open", reference, () =>
      rows("select id, header from session where id = ?1 or substr(id, 1, length(?1)) = ?1", reference)
    )
    const exact = found.find(({ id }) => id === reference)
    const [row, ...others] = exact === undefined ? found : [exact]
    if (row === undefined) return yield* new SessionNotFound({ reference })
    const candidates = found.map(({ id }) => String(id))
    if (others.length > 0) return yield* new AmbiguousSession({ reference, candidates })
    const header = Schema.decodeUnknownEither(Schema.parseJson(SessionEntry.SessionHeader))(row["header"])
    return yield* Either.mapLeft(header, ({ message }) => new NotASession({ reference, detail: message }))
  })

  const read = (reference: string) =>
    Effect.flatMap(find(reference), (header) =>
      attempt("open", reference, () => ({ header, file: Option.none<string>(), entries: entriesOf(header.id) }))
    )

  /** Until the scope closes. A process that is killed leaves its claim: give claims a time limit if that matters to you. */
  const claimed = (header: Header) =>
    Effect.acquireRelease(
      Effect.flatMap(
        attempt("open", header.id, () =>
          rows("update session set owner = ? where id = ? and owner is null returning id", process.pid, header.id)
        ),
        ([mine]) => (mine === undefined ? inUse(header) : Effect.void)
      ),
      () => Effect.sync(() => release(header))
    )
  const release = ({ id }: Header) => void rows("update session set owner = null where id = ?", id)
  const inUse = ({ id, timestamp }: Header) => {
    const [row] = rows("select owner from session where id = ?", id)
    const owner = { pid: Number(row?.["owner"]), host: "this database", since: timestamp }
    return new SessionInUse({ reference: id, owner })
  }

  const logOf = (stored: SessionStore.StoredSession): SessionStore.SessionLog => ({
    ...stored,
    append: (entries) => attempt("append", stored.header.id, () => insert(stored.header, entries)),
    sync: Effect.void
  })

  const create = Effect.fnUntraced(function* ({ entries = [], parentSession, sessionId }: SessionStore.NewSession) {
    const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
    const header: Header = {
      type: "session",
      version: SessionEntry.sessionVersion,
      id: sessionId ?? ids.next("session"),
      timestamp,
      cwd: options.cwd,
      ...(parentSession === undefined ? {} : { parentSession })
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => release(header)))
    const log = logOf({ header, file: Option.none(), entries })
    if (entries.length > 0) yield* log.append(entries)
    return log
  })

  const list = Effect.gen(function* () {
    const all = yield* attempt("list", options.path, () => rows("select id from session"))
    const stored = yield* Effect.forEach(all, ({ id }) => Effect.option(read(String(id))))
    return SessionSummaries.newestFirst(stored.flatMap(Option.toArray).map(SessionSummaries.summary))
  })

  return SessionStore.SessionStore.of({
    create,
    open: (reference) =>
      Effect.flatMap(find(reference), (header) => Effect.map(Effect.zipRight(claimed(header), read(header.id)), logOf)),
    read,
    list,
    latest: Effect.map(list, ([first]) => Option.map(Option.fromNullable(first), ({ sessionId }) => sessionId)),
    folder: () => Option.none()
  })
})

/** `path` is a file, or `:memory:`. */
export const layer = (options: { readonly path: string; readonly cwd: string }) =>
  Layer.scoped(SessionStore.SessionStore, make(options))
