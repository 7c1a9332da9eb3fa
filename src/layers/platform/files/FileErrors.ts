/** Errors of the system as errors of the Files service, and versions of files. */
import type { Stats } from "node:fs"
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

const fileError = (path: string) => (cause: unknown) =>
  new FileError({
    path,
    reason: (Predicate.hasProperty(cause, "code") ? reasons.get(cause.code) : undefined) ?? "unreadable",
    description: cause instanceof Error ? cause.message : String(cause)
  })

export const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: () => run(), catch: fileError(path) })

export const attemptSync = <A>(path: string, run: () => A): Effect.Effect<A, FileError> =>
  Effect.try({ try: run, catch: fileError(path) })

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
