/**
 * Stores sessions in files (protocol.md 9.1, 9.2). An open session holds a lease, so that no other process writes its
 * file. Reading needs no lease.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { type SessionHeader, sessionVersion } from "../../domain/session/SessionEntry.ts"
import { Ids } from "../../services/Ids.ts"
import {
  NewerSession,
  type NewSession,
  NotASession,
  type SessionFolder,
  SessionInUse,
  SessionNotFound,
  SessionStore,
  StoreFailure
} from "../../services/session/SessionStore.ts"
import * as EventLoop from "../platform/EventLoop.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import * as Lease from "../platform/files/Lease.ts"
import { basename, dirname, join } from "../platform/files/LocalPaths.ts"
import { type FileRefused, type Files, type Found, OwnFiles } from "../platform/files/OwnFiles.ts"
import * as JsonlLog from "./JsonlLog.ts"
import * as SessionFolders from "./SessionFolders.ts"
import * as SessionLookup from "./SessionLookup.ts"
import * as SessionScan from "./SessionScan.ts"
import * as SessionSummaries from "./SessionSummaries.ts"
import * as SessionText from "./SessionText.ts"

export type JsonlOptions = SessionFolders.Place

interface Dependencies {
  readonly files: Files
  readonly ids: typeof Ids.Service
  readonly place: JsonlOptions
  readonly summaries: ReturnType<typeof SessionSummaries.makeMemory>
}

const newHeader = Effect.fnUntraced(function* ({ ids, place }: Dependencies, options: NewSession) {
  const { parentSession, sessionId } = options
  const header: SessionHeader = {
    type: "session",
    version: sessionVersion,
    id: sessionId ?? ids.next("session"),
    timestamp: yield* IsoTime.now,
    cwd: place.cwd,
    ...(parentSession === undefined ? {} : { parentSession })
  }
  return header
})

const unreadable = (reference: string) => (refused: FileRefused) => {
  if (SessionLookup.isMissing(refused)) return new SessionNotFound({ reference })
  if (refused.code === "EISDIR") return new NotASession({ reference, detail: "a folder" })
  return JsonlLog.failure("open", reference)(refused)
}

const readBytes = ({ files }: Dependencies, reference: string, path: string) =>
  Effect.mapError(files.read(path), unreadable(reference))

/** An empty file reads as a session without messages. */
const decode = Effect.fnUntraced(function* (
  dependencies: Dependencies,
  reference: string,
  path: string,
  bytes: Uint8Array
) {
  const decoded = SessionText.decode(bytes)
  switch (decoded._tag) {
    case "NotASession":
      return yield* new NotASession({ reference })
    case "Newer":
      return yield* new NewerSession({ reference, version: decoded.version })
    case "Session":
      return decoded
    case "Empty": {
      const sessionId = SessionFolders.sessionIdIn(basename(path))
      const header = yield* newHeader(dependencies, sessionId === undefined ? {} : { sessionId })
      return SessionText.begun(header)
    }
  }
})

const load = (dependencies: Dependencies, reference: string, path: string) =>
  Effect.flatMap(readBytes(dependencies, reference, path), (bytes) => decode(dependencies, reference, path, bytes))

/** Yields to the event loop before each file, so that a long list does not hold up the process. */
const summarize = Effect.fnUntraced(function* (dependencies: Dependencies, { path }: Found) {
  yield* EventLoop.nextTurn
  const bytes = yield* readBytes(dependencies, path, path)
  const header = SessionText.currentHeader(bytes)
  const seen = header === undefined ? undefined : SessionScan.scan(bytes, header)
  const file = Option.some(path)
  if (seen !== undefined) return SessionSummaries.summary(seen, file)
  const { entries, header: read } = yield* decode(dependencies, path, path, bytes)
  return SessionSummaries.summary(SessionSummaries.factsOf({ entries, header: read, file }), file)
})

const lease = (path: string) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.flatMap(IsoTime.now, (now) => Lease.acquire(path, now)),
      (release) => release
    )
  )

const writeFirst = (file: Effect.Effect.Success<ReturnType<Files["open"]>>, text: string) =>
  Effect.as(
    Effect.onError(file.append(text), () => file.close),
    file
  )

/** Starts writing to an existing file: replaces a file of an older version, and appends to a current one on a new line. */
const beginOld = (files: Files, path: string, session: SessionText.SessionText) =>
  Effect.fnUntraced(function* (text: string) {
    const { endsWithNewline, entries, header, version } = session
    if (version < sessionVersion) {
      yield* files.replace(path, SessionText.encodeHeader(header) + SessionText.encode(entries) + text)
      return yield* files.open(path)
    }
    return yield* writeFirst(yield* files.open(path), endsWithNewline ? text : `\n${text}`)
  })

const open = Effect.fnUntraced(function* (dependencies: Dependencies, reference: string, path: string) {
  const { files } = dependencies
  // If the lease cannot be written, the session can still be read. The first append reports the failure.
  const leased = yield* Effect.either(lease(path))
  if (Either.isLeft(leased) && leased.left._tag === "LeaseHeld") {
    const { host, pid, since } = leased.left.owner
    return yield* new SessionInUse({ reference, owner: { pid, host, since } })
  }
  const session = yield* load(dependencies, reference, path)
  const begin = (text: string) =>
    Effect.mapError(
      Effect.zipRight(leased, beginOld(files, path, session)(text)),
      ({ message: detail }) => new StoreFailure({ operation: "append", reference: path, detail })
    )
  return yield* JsonlLog.make({ path, session: session, begin, hasFile: session.version > 0 })
})

/** Writes the header and the first message at once, so that no file lacks a conversation. */
const beginNew = (files: Files, path: string, header: SessionHeader, scope: Scope.Scope) =>
  Effect.fnUntraced(
    function* (text: string) {
      yield* files.makeFolder(dirname(path))
      yield* Scope.extend(lease(path), scope)
      return yield* writeFirst(yield* files.create(path), SessionText.encodeHeader(header) + text)
    },
    Effect.catchTags({
      FileRefused: JsonlLog.failure("create", path),
      LeaseHeld: ({ owner }) =>
        new StoreFailure({ operation: "create", reference: path, detail: `process ${owner.pid} is writing it` })
    })
  )

const create = Effect.fnUntraced(function* (dependencies: Dependencies, options: NewSession) {
  const { files, place } = dependencies
  const { artifactsOf, entries = [] } = options
  const header = yield* newHeader(dependencies, options)
  const path =
    options.path === undefined
      ? join(SessionFolders.own(place), SessionFolders.fileName(header.timestamp, header.id))
      : SessionLookup.absolute(place, options.path)
  const begin = beginNew(files, path, header, yield* Effect.scope)
  const log = yield* JsonlLog.make({ path, session: { header, entries }, begin, hasFile: false })
  yield* log.append(entries)
  if (artifactsOf !== undefined) {
    const [from, to] = [SessionFolders.artifacts(artifactsOf), SessionFolders.artifacts(path)]
    yield* Effect.mapError(files.copyFolder(from, to), JsonlLog.failure("create", path))
  }
  return log
})

const makeFolder = (dependencies: Dependencies): SessionFolder => {
  const { files, place } = dependencies
  const lookup = SessionLookup.make(files, place)
  const read = Effect.fnUntraced(function* (reference: string) {
    const path = yield* lookup.locate(reference)
    const { entries, header } = yield* load(dependencies, reference, path)
    return { header, entries, file: Option.some(path) }
  })
  const listing = JsonlLog.failure("list", SessionFolders.own(place))
  return {
    create: (options) => create(dependencies, options),
    open: (reference) => Effect.flatMap(lookup.locate(reference), (path) => open(dependencies, reference, path)),
    read,
    latest: Effect.mapError(lookup.latest, listing),
    // Skips files that cannot be read.
    list: Effect.mapError(lookup.own, listing).pipe(
      Effect.flatMap(
        Effect.forEach((found) => Effect.option(dependencies.summaries(found, summarize(dependencies, found))))
      ),
      Effect.map((found) => SessionSummaries.newestFirst(found.flatMap(Option.toArray)))
    )
  }
}

export const make = Effect.fnUntraced(function* (place: JsonlOptions) {
  const summaries = SessionSummaries.makeMemory()
  const dependencies = { files: yield* OwnFiles, ids: yield* Ids, place, summaries }
  return SessionStore.of({
    ...makeFolder(dependencies),
    folder: (path) =>
      Option.some(makeFolder({ ...dependencies, place: { ...place, sessionDir: SessionLookup.absolute(place, path) } }))
  })
})

export const layer = (options: JsonlOptions) => Layer.effect(SessionStore, make(options))
