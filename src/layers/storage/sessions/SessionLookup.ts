/** Finds the file that a reference means, and lists session files. Reads only the start of files. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AmbiguousSession, NotASession, SessionNotFound } from "../../../services/storage/SessionStore.ts"
import * as EventLoop from "../../machine/engine/EventLoop.ts"
import { join, resolve } from "../../machine/files/LocalPaths.ts"
import { type FileRefused, type Files, type Found, notRegular } from "../../machine/files/own/OwnFiles.ts"
import { failure } from "./JsonlLog.ts"
import * as SessionFolders from "./SessionFolders.ts"
import * as SessionText from "./SessionText.ts"

/** Tells a file that does not exist from one that cannot be used. */
export const unreadable = (reference: string) => (refused: FileRefused) => {
  switch (refused.code) {
    case "ENOENT":
    case "ENOTDIR":
      return new SessionNotFound({ reference })
    case "EISDIR":
      return new NotASession({ reference, detail: "a folder" })
    case notRegular:
      return new NotASession({ reference, detail: refused.message })
    default:
      return failure("open", reference)(refused)
  }
}

/** Yields to the event loop after so many files, each of which takes some microseconds. */
const filesInATurn = 100

export const absolute = ({ cwd, home }: SessionFolders.Location, path: string): string =>
  resolve(cwd, path.startsWith("~/") ? join(home, path.slice(2)) : path)

export const make = (files: Files, location: SessionFolders.Location) => {
  /** The session files in some folders, newest first. */
  const filesIn = (folders: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Found>, FileRefused> =>
    Effect.map(Effect.forEach(folders, files.list), (found) =>
      found
        .flat()
        .filter(({ isFile, name }) => isFile && name.endsWith(SessionFolders.suffix))
        .toSorted((one, other) => other.modifiedAt - one.modifiedAt)
    )

  const named = (folders: ReadonlyArray<string>, reference: string) =>
    Effect.map(filesIn(folders), (found) => {
      const fitting = found.flatMap(({ name, path }) => {
        const id = SessionFolders.sessionIdIn(name)
        return id?.startsWith(reference) === true ? [{ id, path }] : []
      })
      const exact = fitting.filter(({ id }) => id === reference)
      // Of several files with one id, the one written last counts: another program may have spoilt an older one.
      const newest = fitting.filter(({ id }, at) => fitting.findIndex((other) => other.id === id) === at)
      return exact.length > 0 ? exact.slice(0, 1) : newest
    })

  /** Leaves out folders that cannot be listed. */
  const everywhere = Effect.flatMap(files.list(SessionFolders.root(location)), (found) =>
    Effect.filter(
      found.filter(({ isFolder }) => isFolder).map(({ path }) => path),
      (path) => Effect.isSuccess(files.list(path))
    )
  )

  /** Searches the sessions of the working folder first, then all others. */
  const find = Effect.fnUntraced(function* (reference: string) {
    const near = yield* named(SessionFolders.searched(location), reference)
    const found = near.length > 0 ? near : yield* named(yield* everywhere, reference)
    const [first, ...more] = found
    if (first === undefined) return yield* new SessionNotFound({ reference })
    if (more.length > 0) return yield* new AmbiguousSession({ reference, candidates: found.map(({ id }) => id) })
    return first.path
  })

  const locate = Effect.fnUntraced(function* (reference: string) {
    const asked = SessionFolders.isPath(reference) ? absolute(location, reference) : yield* find(reference)
    return yield* files.real(asked)
  })

  /** Two working folders may share a folder of sessions (9.1), so the header decides. */
  const isOurs = ({ path }: Found) =>
    Effect.match(files.readStart(path), {
      onFailure: () => false,
      onSuccess: (start) => SessionText.cwdOf(start) === location.cwd
    })

  return {
    locate: (reference: string) =>
      Effect.mapError(locate(reference), (error) =>
        error._tag === "FileRefused" ? unreadable(reference)(error) : error
      ),
    own: Effect.flatMap(filesIn(SessionFolders.searched(location)), (found) =>
      Effect.filter(found, (file, at) =>
        at % filesInATurn === filesInATurn - 1 ? Effect.zipRight(EventLoop.nextTurn, isOurs(file)) : isOurs(file)
      )
    ),
    /** Those of all working folders. */
    all: Effect.flatMap(everywhere, (folders) =>
      filesIn([
        ...new Set([...SessionFolders.searched(location), ...(location.sessionDir === undefined ? folders : [])])
      ])
    ),
    latest: Effect.flatMap(filesIn(SessionFolders.searched(location)), (found) =>
      Effect.map(Effect.findFirst(found, isOurs), (first) => Option.map(first, ({ path }) => path))
    )
  }
}
