/** A file that is appended to. Knows how long it should be, so that it can tell when others have changed it. */
import * as nodeFs from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { type FileRefused, refused } from "../FileErrors.ts"
import * as RegularFile from "../RegularFile.ts"

export interface GrowingFile {
  /** One write; after a failure the file is as long as before, as far as the system allows. */
  readonly append: (text: string) => Effect.Effect<void, FileRefused>
  readonly sync: Effect.Effect<void, FileRefused>
  /** What others did to the file since it was opened; undefined if it has what was appended. One system call. */
  readonly change: Effect.Effect<string | undefined>
  readonly close: Effect.Effect<void>
  /** Closes the file when the syncs that are under way have ended, and does not wait for them. */
  readonly leave: Effect.Effect<void>
}

const { O_APPEND, O_WRONLY } = nodeFs.constants

const attempt = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: refused(path) })

/** Some file systems refuse to sync folders; that is ignored. */
const syncFolderAside = (path: string, done: () => void) =>
  nodeFs.open(path, "r", (cause, fd) => {
    if (cause !== null) return done()
    nodeFs.fsync(fd, () => nodeFs.close(fd, done))
  })

/** Writes everything or nothing: after a short write, which means a full disk, the file is cut back. */
const writeWhole = (fd: number, bytes: Uint8Array) => {
  let written = 0
  const takeBack = () => {
    try {
      nodeFs.ftruncateSync(fd, nodeFs.fstatSync(fd).size - written)
    } catch {
      // Readers skip a torn line at the end.
    }
  }
  try {
    while (written < bytes.length) {
      const count = nodeFs.writeSync(fd, bytes, written)
      if (count === 0) throw new Error("no room left")
      written += count
    }
  } catch (cause) {
    if (written > 0) takeBack()
    throw cause
  }
}

/** Syncs a file in threads, and closes it after the last sync. */
const makeSyncs = (fd: number) => {
  let underWay = 0
  let [isLeft, isOpen] = [false, true]
  const closeIfIdle = () => {
    if (!isLeft || !isOpen || underWay > 0) return
    isOpen = false
    nodeFs.closeSync(fd)
  }
  return {
    fsync: (done: (cause: Error | null) => void) => {
      if (isLeft) return done(null)
      underWay++
      nodeFs.fsync(fd, (cause) => {
        underWay--
        closeIfIdle()
        done(cause)
      })
    },
    leave: () => {
      isLeft = true
      closeIfIdle()
    }
  }
}

const make = (path: string, fd: number, mark: RegularFile.Mark, isNew: boolean): GrowingFile => {
  const { fsync, leave } = makeSyncs(fd)
  let isFirst = isNew
  let { size } = mark
  /** A new file and its name in the folder take long to make durable, so that begins with the first line. */
  let begun: Promise<void> | undefined
  /** The system reports a failed write only once, so the first sync's failure is kept for the next one. */
  let failure: Error | null = null
  const begin = () =>
    new Promise<void>((resolve) =>
      fsync((cause) => {
        failure = cause
        syncFolderAside(dirname(path), resolve)
      })
    )
  const left = Effect.ignore(attempt(path, leave))
  return {
    append: (text) =>
      attempt(path, () => {
        const bytes = Buffer.from(text)
        writeWhole(fd, bytes)
        size += BigInt(bytes.length)
        if (isFirst) begun = begin()
        isFirst = false
      }),
    sync: Effect.async<void, FileRefused>((resume) => {
      const finish = () =>
        fsync((latest) => {
          const cause = failure ?? latest
          resume(cause === null ? Effect.void : Effect.fail(refused(path)(cause)))
        })
      if (begun === undefined) finish()
      else void begun.then(finish)
    }),
    change: Effect.sync(() => RegularFile.changeSince(path, { ...mark, size })),
    close: Effect.zipRight(
      Effect.promise(() => begun ?? Promise.resolve()),
      left
    ),
    leave: left
  }
}

export const create = (path: string): GrowingFile => {
  const fd = RegularFile.create(path, O_APPEND)
  const { dev: device, ino: inode, size } = nodeFs.fstatSync(fd, { bigint: true })
  return make(path, fd, { device, inode, size }, true)
}

/** `change` compares with `mark`, by default with the file as it is now. */
export const open = (path: string, mark?: RegularFile.Mark): GrowingFile => {
  const { fd, stats } = RegularFile.open(path, O_WRONLY | O_APPEND)
  const { dev: device, ino: inode, mode, size } = stats
  RegularFile.tighten(fd, Number(mode & 0o777n))
  return make(path, fd, mark ?? { device, inode, size }, false)
}
