/** Files and folders of this machine, read in bounded pieces: nothing here grows with the size of a file. */
import type { Dirent, Stats } from "node:fs"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"

export type FileErrorReason =
  | "not_found"
  | "denied"
  | "is_directory"
  | "not_directory"
  | "not_regular"
  | "changed"
  | "unreadable"

export class FileError extends Data.TaggedError("FileError")<{
  readonly path: string
  readonly reason: FileErrorReason
  /** What the system said, or what the path leads to instead. */
  readonly description: string
}> {}

export interface OpenFile {
  readonly path: string
  /** As it was when the file was opened; files below /proc say 0. */
  readonly size: number
  readonly version: string
  /** The bytes from `position` on, none at the end of the file. The next call overwrites them. */
  readonly read: (position: number) => Effect.Effect<Uint8Array, FileError>
  /** At most the first `length` bytes, in memory of their own. */
  readonly readFirst: (length: number) => Effect.Effect<Uint8Array, FileError>
}

export interface Entry {
  readonly name: string
  /** `other`: a link, a device, or something that the file system does not tell without a closer look. */
  readonly kind: "directory" | "file" | "other"
}

const smallestBuffer = 64 * 1024
const largestBuffer = 1024 * 1024

const reasons = new Map<unknown, FileErrorReason>([
  ["ENOENT", "not_found"],
  // A part of the path is a file: what it names cannot exist.
  ["ENOTDIR", "not_found"],
  ["EACCES", "denied"],
  ["EPERM", "denied"]
])

const fileError = (path: string) => (cause: unknown) =>
  new FileError({
    path,
    reason: (Predicate.hasProperty(cause, "code") ? reasons.get(cause.code) : undefined) ?? "unreadable",
    description: cause instanceof Error ? cause.message : String(cause)
  })

export const attempt = <A>(path: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: () => run(), catch: fileError(path) })

/** Differs when the content does, as far as the file system tells without reading it. */
export const versionOf = ({ mtimeMs, size }: Stats): string => `${mtimeMs}:${size}`

/** Why a path cannot be opened as a file. */
export const refusal = (path: string, stats: Stats): FileError | undefined => {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return new FileError({ path, reason: "is_directory", description: "a directory" })
  const description = stats.isFIFO()
    ? "a FIFO"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice()
        ? "a character device"
        : "a block device"
  return new FileError({ path, reason: "not_regular", description })
}

/** Opens a regular file until the scope closes; anything else is refused before it is touched. */
export const open: (path: string) => Effect.Effect<OpenFile, FileError, Scope.Scope> = Effect.fn("LocalFiles.open")(
  function* (path: string) {
    const stats = yield* attempt(path, () => fs.stat(path))
    const refused = refusal(path, stats)
    if (refused !== undefined) return yield* refused
    const handle = yield* Effect.acquireRelease(
      // Without O_NONBLOCK a FIFO that took the place of the file since `stat` would hang the open.
      attempt(path, () => fs.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))),
      (handle) => Effect.ignore(attempt(path, () => handle.close()))
    )
    const buffer = new Uint8Array(Math.min(largestBuffer, Math.max(smallestBuffer, stats.size + 1)))
    const readInto = (target: Uint8Array, start: number, position: number) =>
      Effect.map(
        attempt(path, () => handle.read(target, start, target.length - start, position)),
        ({ bytesRead }) => bytesRead
      )
    const read = (position: number) =>
      Effect.map(readInto(buffer, 0, position), (bytesRead) => buffer.subarray(0, bytesRead))
    const readFirst = Effect.fnUntraced(function* (length: number) {
      const target = new Uint8Array(Math.min(length, stats.size))
      let filled = 0
      while (filled < target.length) {
        const bytesRead = yield* readInto(target, filled, filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return target.subarray(0, filled)
    })
    return { path, size: stats.size, version: versionOf(stats), read, readFirst }
  }
)

const kindOf = (entry: Dirent): Entry["kind"] => (entry.isDirectory() ? "directory" : entry.isFile() ? "file" : "other")

/** What a folder holds, in no order. */
export const entries: (path: string) => Effect.Effect<ReadonlyArray<Entry>, FileError> = Effect.fn(
  "LocalFiles.entries"
)(function* (path: string) {
  const stats = yield* attempt(path, () => fs.stat(path))
  if (!stats.isDirectory()) {
    return yield* new FileError({ path, reason: "not_directory", description: "not a directory" })
  }
  const found = yield* attempt(path, () => fs.readdir(path, { withFileTypes: true }))
  return found.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
})

/** Follows links; what cannot be looked at is not a directory. */
export const isDirectory = (path: string): Effect.Effect<boolean> =>
  Effect.match(
    attempt(path, () => fs.stat(path)),
    { onFailure: () => false, onSuccess: (stats) => stats.isDirectory() }
  )

/** The path without links in it. */
export const realPath = (path: string): Effect.Effect<string, FileError> => attempt(path, () => fs.realpath(path))
