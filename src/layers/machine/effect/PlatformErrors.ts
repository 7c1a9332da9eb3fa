/** Errors of @effect/platform as errors of Files, and the other way round. */
import * as PlatformError from "@effect/platform/Error"
import * as Predicate from "effect/Predicate"
import { FileError, type FileErrorReason } from "../../../services/machine/Files.ts"
import { reasonOfCode } from "../files/FileErrors.ts"

const byReason: Partial<Readonly<Record<PlatformError.SystemErrorReason, FileErrorReason>>> = {
  NotFound: "not_found",
  PermissionDenied: "denied"
}

const codeOf = (cause: unknown): unknown => (Predicate.hasProperty(cause, "code") ? cause.code : undefined)

/** The code of the system says more than the reason, where there is one. */
export const toFileError = (path: string) => (error: PlatformError.PlatformError) =>
  new FileError({
    path,
    reason:
      reasonOfCode(codeOf(error.cause)) ??
      (error._tag === "SystemError" ? byReason[error.reason] : undefined) ??
      "unreadable",
    description: error.message
  })

const toReason: Readonly<Record<FileErrorReason, PlatformError.SystemErrorReason>> = {
  not_found: "NotFound",
  denied: "PermissionDenied",
  refused: "PermissionDenied",
  is_directory: "BadResource",
  not_directory: "BadResource",
  not_regular: "BadResource",
  changed: "Busy",
  unreadable: "Unknown"
}

const systemError = (
  method: string,
  path: string,
  reason: PlatformError.SystemErrorReason,
  description: string,
  cause?: unknown
) => new PlatformError.SystemError({ module: "FileSystem", method, reason, pathOrDescriptor: path, description, cause })

export const fromFileError = (method: string) => (error: FileError) =>
  systemError(method, error.path, toReason[error.reason], error.description, error)

export const alreadyExists = (method: string, path: string) =>
  systemError(method, path, "AlreadyExists", "there is a file already")

/** What Files has no method for. */
export const notOffered = (method: string, path: string) =>
  systemError(method, path, "PermissionDenied", `heddle's Files cannot do this: ${method}`)
