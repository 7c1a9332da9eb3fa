/**
 * Stores sessions in files (protocol.md 9.1, 9.2). An open session holds a lease, so that no other process writes its
 * file. Reading needs no lease.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type SessionHeader, sessionVersion } from "../../../domain/session/SessionEntry.ts"
import { defined } from "../../../domain/Values.ts"
import { Ids } from "../../../services/Ids.ts"
import {
  NewerSession,
  type NewSession,
  NotASession,
  type SessionFolder,
  SessionInUse,
  SessionStore,
  StoreFailure
} from "../../../services/storage/SessionStore.ts"
import * as EventLoop from "../../machine/engine/EventLoop.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import { basename, join } from "../../machine/files/LocalPaths.ts"
import { type Files, type Found, OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as JsonlLog from "./JsonlLog.ts"
import * as LogFiles from "./LogFiles.ts"
import * as SessionFolders from "./SessionFolders.ts"
import * as SessionLookup from "./SessionLookup.ts"
import * as SessionSummaries from "./SessionSummaries.ts"
import * as SessionText from "./SessionText.ts"

export type JsonlOptions = SessionFolders.Location

interface Dependencies {
  readonly files: Files
  readonly ids: typeof Ids.Service
  readonly location: JsonlOptions
  readonly summaries: ReturnType<typeof SessionSummaries.makeMemory>
}

const newHeader = Effect.fnUntraced(function* ({ ids, location }: Dependencies, options: NewSession) {
  const { parentSession, sessionId } = options
  return {
    type: "session",
    version: sessionVersion,
    id: sessionId ?? ids.next("session"),
    timestamp: yield* IsoTime.now,
    cwd: location.cwd,
    ...defined({ parentSession })
  } satisfies SessionHeader
})

const readBytes = ({ files }: Dependencies, reference: string, path: string) =>
  Effect.mapError(files.read(path), SessionLookup.unreadable(reference))

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
      return yield* new NotASession({ reference, ...defined({ detail: decoded.detail }) })
    case "Newer":
      return yield* new NewerSession({ reference, version: decoded.version })
    case "Session":
      return decoded
    case "Empty": {
      const sessionId = SessionFolders.sessionIdIn(basename(path))
      const header = yield* newHeader(dependencies, defined({ sessionId }))
      return SessionText.begun(header)
    }
  }
})

const load = (dependencies: Dependencies, reference: string, path: string) =>
  Effect.flatMap(readBytes(dependencies, reference, path), (bytes) => decode(dependencies, reference, path, bytes))

/** A longer file is listed by its first bytes alone. */
const largestListed = 256 * 1024 ** 2

const readForList = ({ files }: Dependencies, { path, size }: Found) => {
  if (size <= largestListed) return files.read(path)
  return Effect.map(files.readStart(path), (start) => start.subarray(0, start.lastIndexOf(10) + 1))
}

/** Yields to the event loop before each file, so that a long list does not hold up the process. */
const summarize = Effect.fnUntraced(function* (dependencies: Dependencies, found: Found) {
  const { path } = found
  yield* EventLoop.nextTurn
  const bytes = yield* readForList(dependencies, found)
  const { entries, header } = yield* decode(dependencies, path, path, bytes)
  return SessionSummaries.summary({ entries, header, file: Option.some(path) })
})

/** Skips files that cannot be read. */
const summarizeAll = (dependencies: Dependencies, found: ReadonlyArray<Found>) =>
  Effect.map(
    Effect.forEach(found, (one) => Effect.option(dependencies.summaries(one, summarize(dependencies, one)))),
    (summaries) => SessionSummaries.newestFirst(summaries.flatMap(Option.toArray))
  )

/** A lease guards one name of a file, so a file with several could have several writers. */
const refuseShared = Effect.fnUntraced(function* ({ files }: Dependencies, reference: string, path: string) {
  const names = yield* Effect.mapError(files.names(path), SessionLookup.unreadable(reference))
  if (names === 1) return
  const detail =
    `the file has ${names} names (hard links), so that two processes could write it. ` +
    "Fork the session, or copy the file and remove one of the names"
  return yield* new StoreFailure({ operation: "open", reference, detail })
})

/** Longer conversations do not fit into memory several times. */
const largestSession = 2 * 1024 ** 3

const open = Effect.fnUntraced(function* (dependencies: Dependencies, reference: string, path: string) {
  const { files } = dependencies
  yield* refuseShared(dependencies, reference, path)
  const takeLease = yield* LogFiles.makeLease
  // If the lease cannot be written, the session can still be read. The first append reports the failure.
  const leased = yield* Effect.either(takeLease(path))
  if (Either.isLeft(leased) && leased.left._tag === "LeaseHeld") {
    const { host, pid, since } = leased.left.owner
    return yield* new SessionInUse({ reference, owner: { pid, host, since } })
  }
  const { bytes, mark } = yield* Effect.mapError(files.load(path, largestSession), SessionLookup.unreadable(reference))
  const session = yield* decode(dependencies, reference, path, bytes)
  const { header, version } = session
  const begin = (text: string) =>
    Effect.mapError(Effect.zipRight(leased, LogFiles.beginOld(files, path, session, mark)(text)), (error) =>
      error._tag === "Displaced"
        ? error
        : new StoreFailure({ operation: "append", reference: path, detail: error.message })
    )
  const beginAgain = LogFiles.beginAgain(files, takeLease, path, header)
  return yield* JsonlLog.make({ path, session, begin, beginAgain, hasFile: version > 0 })
})

const create = Effect.fnUntraced(function* (dependencies: Dependencies, options: NewSession) {
  const { files, location } = dependencies
  const { artifactsOf, entries = [] } = options
  const header = yield* newHeader(dependencies, options)
  const path =
    options.path === undefined
      ? join(SessionFolders.own(location), SessionFolders.fileName(header.timestamp, header.id))
      : SessionLookup.absolute(location, options.path)
  const takeLease = yield* LogFiles.makeLease
  const begin = (text: string) =>
    Effect.mapError(
      LogFiles.beginNew(files, takeLease, path, header)(text),
      (error) => new StoreFailure({ operation: "create", reference: path, detail: LogFiles.reasonOf(error) })
    )
  const beginAgain = LogFiles.beginAgain(files, takeLease, path, header)
  const log = yield* JsonlLog.make({ path, session: { header, entries }, begin, beginAgain, hasFile: false })
  yield* log.append(entries)
  if (artifactsOf !== undefined) {
    const [from, to] = [SessionFolders.artifacts(artifactsOf), SessionFolders.artifacts(path)]
    yield* Effect.mapError(files.copyFolder(from, to), JsonlLog.failure("create", path))
  }
  return log
})

const makeFolder = (dependencies: Dependencies): SessionFolder => {
  const { files, location } = dependencies
  const lookup = SessionLookup.make(files, location)
  const read = Effect.fnUntraced(function* (reference: string) {
    const path = yield* lookup.locate(reference)
    const { entries, header } = yield* load(dependencies, reference, path)
    return { header, entries, file: Option.some(path) }
  })
  const listing = JsonlLog.failure("list", SessionFolders.own(location))
  return {
    create: (options) => create(dependencies, options),
    open: (reference) => Effect.flatMap(lookup.locate(reference), (path) => open(dependencies, reference, path)),
    read,
    latest: Effect.mapError(lookup.latest, listing),
    list: Effect.flatMap(Effect.mapError(lookup.own, listing), (found) => summarizeAll(dependencies, found))
  }
}

const dependenciesFor = Effect.fnUntraced(function* (location: JsonlOptions) {
  return {
    files: yield* OwnFiles,
    ids: yield* Ids,
    location,
    summaries: SessionSummaries.makeMemory()
  } satisfies Dependencies
})

/** The sessions of all working folders, newest first; with a folder that the user chose, those in it. */
export const listAll = Effect.fnUntraced(function* (location: JsonlOptions) {
  const dependencies = yield* dependenciesFor(location)
  const { all } = SessionLookup.make(dependencies.files, location)
  const found = yield* Effect.mapError(all, JsonlLog.failure("list", SessionFolders.root(location)))
  return yield* summarizeAll(dependencies, found)
})

export const make = Effect.fnUntraced(function* (location: JsonlOptions) {
  const dependencies = yield* dependenciesFor(location)
  return SessionStore.of({
    ...makeFolder(dependencies),
    folder: (path) =>
      Option.some(
        makeFolder({ ...dependencies, location: { ...location, sessionDir: SessionLookup.absolute(location, path) } })
      )
  })
})

export const layer = (options: JsonlOptions) => Layer.effect(SessionStore, make(options))

export interface FolderOptions {
  /** Holds the session files. It is created with the first of them. */
  readonly folder: string
  /** The working folder of new sessions. */
  readonly cwd: string
}

/** For programs that keep sessions in a folder of their own. */
export const layerIn = ({ cwd, folder }: FolderOptions) =>
  layer({ agentDir: folder, home: folder, cwd, sessionDir: folder })
