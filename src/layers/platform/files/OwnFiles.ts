/**
 * The files that heddle keeps for itself: sessions, settings, keys, models, full output of commands. They are small or
 * appended to line by line, so all but outputs are read and written synchronously: that takes less time than a trip through
 * a thread, and a line is in the system's hands when its append returns. A reference with the local files as default
 * (docs/decisions/0017-files-and-processes.md); a Layer replaces it.
 */
import * as nodeFs from "node:fs"
import { dirname, join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { FileRefused, refused } from "./FileErrors.ts"
import * as OutputFile from "./OutputFile.ts"
import * as RegularFile from "./RegularFile.ts"

export { FileRefused }

export interface Found {
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  readonly modifiedAt: number
  readonly size: number
}

export interface GrowingFile {
  /** One write; after a failure the file is as long as before, as far as the system allows. */
  readonly append: (text: string) => Effect.Effect<void, FileRefused>
  readonly sync: Effect.Effect<void, FileRefused>
  readonly close: Effect.Effect<void>
}

export interface FileState {
  /** Changes whenever the file is written or replaced. */
  readonly stamp: string
  readonly isFile: boolean
  readonly size: number
  /** Permission bits; 0 where the system has none. */
  readonly mode: number
}

export interface Files {
  /** Undefined when there is nothing. One system call, so that it can be asked before every request. */
  readonly state: (path: string) => Effect.Effect<FileState | undefined, FileRefused>
  readonly real: (path: string) => Effect.Effect<string, FileRefused>
  readonly read: (path: string) => Effect.Effect<Uint8Array, FileRefused>
  /** The first bytes, enough for a header. */
  readonly readStart: (path: string) => Effect.Effect<Uint8Array, FileRefused>
  /** Empty when there is no such folder. */
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<Found>, FileRefused>
  readonly makeFolder: (path: string) => Effect.Effect<void, FileRefused>
  /** Fails where there is one. */
  readonly create: (path: string) => Effect.Effect<GrowingFile, FileRefused>
  readonly open: (path: string) => Effect.Effect<GrowingFile, FileRefused>
  /**
   * A reader sees the old text or the new one, never a part. The file keeps its permissions unless `mode` is given; a new
   * one is for its owner alone. A link stays, and the file that it leads to is replaced.
   */
  readonly replace: (path: string, text: string, mode?: number) => Effect.Effect<void, FileRefused>
  /** Does nothing when `from` does not exist. */
  readonly copyFolder: (from: string, to: string) => Effect.Effect<void, FileRefused>
  /** A file for the output of a command. Fails where there is one. */
  readonly createOutput: (path: string) => Effect.Effect<OutputFile.OutputFile, FileRefused>
  readonly temporaryFolder: Effect.Effect<string, FileRefused>
  readonly removeFolder: (path: string) => Effect.Effect<void>
}

const startBytes = 64 * 1024
const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = nodeFs.constants

const attempt = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: refused(path) })

const syncFolder = (path: string) => {
  const fd = nodeFs.openSync(path, "r")
  try {
    nodeFs.fsyncSync(fd)
  } finally {
    nodeFs.closeSync(fd)
  }
}

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

const growing = (path: string, fd: number, isNew: boolean): GrowingFile => {
  let isFirst = isNew
  /** A new file and its name in the folder take long to make durable, so that begins with the first line. */
  let begun: Promise<void> | undefined
  /** The system reports a failed write only once, so the first sync's failure is kept for the next one. */
  let failure: Error | null = null
  const begin = () =>
    new Promise<void>((resolve) => {
      nodeFs.fsync(fd, (cause) => {
        failure = cause
        syncFolderAside(dirname(path), resolve)
      })
    })
  return {
    append: (text) =>
      attempt(path, () => {
        writeWhole(fd, Buffer.from(text))
        if (isFirst) begun = begin()
        isFirst = false
      }),
    sync: Effect.async<void, FileRefused>((resume) => {
      const finish = () =>
        nodeFs.fsync(fd, (latest) => {
          const cause = failure ?? latest
          resume(cause === null ? Effect.void : Effect.fail(refused(path)(cause)))
        })
      if (begun === undefined) finish()
      else void begun.then(finish)
    }),
    close: Effect.zipRight(
      Effect.promise(() => begun ?? Promise.resolve()),
      Effect.ignore(attempt(path, () => nodeFs.closeSync(fd)))
    )
  }
}

const found = (folder: string, entry: nodeFs.Dirent): ReadonlyArray<Found> => {
  const path = join(folder, entry.name)
  const stats = nodeFs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return [{ path, name: entry.name, isFolder: stats.isDirectory(), modifiedAt: stats.mtimeMs, size: stats.size }]
}

const readStart = (path: string) => {
  const fd = nodeFs.openSync(path, "r")
  try {
    const bytes = new Uint8Array(startBytes)
    return bytes.subarray(0, nodeFs.readSync(fd, bytes))
  } finally {
    nodeFs.closeSync(fd)
  }
}

const isMissing = (cause: unknown) => {
  const { code } = refused("")(cause)
  return code === "ENOENT" || code === "ENOTDIR"
}

const state = (path: string): FileState | undefined => {
  try {
    const stats = nodeFs.statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stats === undefined) return undefined
    return {
      stamp: `${stats.ino}:${stats.size}:${stats.mtimeNs}`,
      isFile: stats.isFile(),
      size: Number(stats.size),
      mode: process.platform === "win32" ? 0 : Number(stats.mode & 0o777n)
    }
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

const replace = (link: string, text: string, wanted: number | undefined) => {
  const path = RegularFile.behindLinks(link)
  const draft = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`
  try {
    const before = nodeFs.statSync(path, { throwIfNoEntry: false })
    // A rename would replace a device, too.
    if (before?.isFile() === false) throw new Error("is not a regular file")
    const mode = wanted ?? before?.mode ?? 0o600
    nodeFs.writeFileSync(draft, text, { flag: "wx", mode: mode & 0o777, flush: true })
    nodeFs.renameSync(draft, path)
    syncFolder(dirname(path))
  } catch (cause) {
    nodeFs.rmSync(draft, { force: true })
    throw cause
  }
}

const list = (folder: string) =>
  nodeFs.existsSync(folder)
    ? nodeFs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => found(folder, entry))
    : []

export const local: Files = {
  state: (path) => attempt(path, () => state(path)),
  real: (path) => attempt(path, () => nodeFs.realpathSync(path)),
  read: (path) => attempt(path, () => RegularFile.read(path)),
  readStart: (path) => attempt(path, () => readStart(path)),
  list: (folder) => attempt(folder, () => list(folder)),
  makeFolder: (path) => Effect.asVoid(attempt(path, () => nodeFs.mkdirSync(path, { recursive: true, mode: 0o700 }))),
  create: (path) =>
    attempt(path, () => growing(path, nodeFs.openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600), true)),
  open: (path) => attempt(path, () => growing(path, nodeFs.openSync(path, O_WRONLY | O_APPEND), false)),
  replace: (path, text, mode) => attempt(path, () => replace(path, text, mode)),
  copyFolder: (from, to) =>
    attempt(from, () => {
      if (nodeFs.existsSync(from)) nodeFs.cpSync(from, to, { recursive: true })
    }),
  createOutput: OutputFile.create,
  temporaryFolder: OutputFile.temporaryFolder,
  removeFolder: OutputFile.removeFolder
}

export class OwnFiles extends Context.Reference<OwnFiles>()("heddle/layers/platform/files/OwnFiles", {
  defaultValue: () => local
}) {}
