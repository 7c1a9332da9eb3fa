/** Errors of the system as errors of Files and OwnFiles, and versions of files. */
import type { BigIntStats, Stats } from "node:fs"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { FileError, type FileErrorReason } from "../../../services/machine/Files.ts"

const reasons = new Map<unknown, FileErrorReason>([
  ["ENOENT", "not_found"],
  // A part of the path is a file, so there is nothing of that name.
  ["ENOTDIR", "not_found"],
  ["EACCES", "denied"],
  ["EPERM", "denied"]
])

/** The system did not do what heddle asked for one of its own files. */
export class FileRefused extends Data.TaggedError("FileRefused")<{
  readonly path: string
  /** `ENOENT`, `ENOSPC`, ...; empty where the system gave none. */
  readonly code: string
  readonly message: string
}> {}

export const refused = (path: string) => (cause: unknown) =>
  cause instanceof FileRefused
    ? cause
    : new FileRefused({
        path,
        code: Predicate.hasProperty(cause, "code") ? String(cause.code) : "",
        message: cause instanceof Error ? cause.message : String(cause)
      })

/** Undefined for codes that say nothing a model could act on. */
export const reasonOfCode = (code: unknown): FileErrorReason | undefined => reasons.get(code)

const fileError = (path: string) => (cause: unknown) =>
  new FileError({
    path,
    reason: (Predicate.hasProperty(cause, "code") ? reasonOfCode(cause.code) : undefined) ?? "unreadable",
    description: cause instanceof Error ? cause.message : String(cause)
  })

export const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: () => run(), catch: fileError(path) })

export const attemptSync = <A>(path: string, run: () => A): Effect.Effect<A, FileError> =>
  Effect.try({ try: run, catch: fileError(path) })

export const versionOf = ({ mtimeMs, size }: Stats): string => `${mtimeMs}:${size}`

/** What is neither a file nor a folder; undefined for these two. */
export const oddKind = (stats: Stats | BigIntStats): string | undefined => {
  if (stats.isFile() || stats.isDirectory()) return undefined
  if (stats.isFIFO()) return "a FIFO"
  if (stats.isSocket()) return "a socket"
  return stats.isCharacterDevice() ? "a character device" : "a block device"
}

/** Why a path cannot be opened as a file. */
export const refusal = (path: string, stats: Stats): FileError | undefined => {
  if (stats.isDirectory()) return new FileError({ path, reason: "is_directory", description: "a directory" })
  const description = oddKind(stats)
  return description === undefined ? undefined : new FileError({ path, reason: "not_regular", description })
}
