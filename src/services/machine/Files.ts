/**
 * The files that tools work on. A Layer that refuses paths, asks for approval or shows another tree replaces this service;
 * everything a model reads, lists or writes goes through it. Contract only: the local one is in layers/machine/files.
 * Paths are absolute.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { JsonObject, optional } from "../../domain/conversation/Content.ts"

const reasons = [
  "not_found",
  "denied",
  "is_directory",
  "not_directory",
  "not_regular",
  "changed",
  "unreadable",
  "refused"
] as const

/** `denied` is the system's answer, `refused` that of a Layer which guards the path. */
export type FileErrorReason = (typeof reasons)[number]

export class FileError extends Schema.TaggedError<FileError>()("FileError", {
  path: Schema.String,
  reason: Schema.Literal(...reasons),
  /** The words of the system, what the path leads to instead, or why it was refused. */
  description: Schema.String,
  /** From a Layer that refuses: for the result of the tool, whose text is then the description alone. */
  details: optional(JsonObject)
}) {}

export interface OpenFile {
  readonly path: string
  /** As it was when the file was opened; files below /proc say 0. */
  readonly size: number
  /** Differs when the content does, as far as the file system tells without reading it. From before the first read. */
  readonly version: string
  readonly realPath: Effect.Effect<string, FileError>
  /** The bytes from `position` on, none at the end of the file. The next call overwrites them. */
  readonly read: (position: number) => Effect.Effect<Uint8Array, FileError>
  /** At most the first `length` bytes, in memory of their own. */
  readonly readFirst: (length: number) => Effect.Effect<Uint8Array, FileError>
}

export interface Entry {
  readonly name: string
  /** Links are not followed. */
  readonly kind: "directory" | "file" | "link" | "other"
}

/** A file to be written, as `inspect` found it. */
export interface Target {
  /** Without links: the file that a link leads to is replaced, not the link. */
  readonly path: string
  /** Undefined when there is no file yet. */
  readonly version: string | undefined
  /** Kept by `replace`; undefined when there is no file yet. */
  readonly owner: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined
}

export class Files extends Context.Tag("heddle/services/machine/Files")<
  Files,
  {
    /** Opens a regular file until the scope closes; anything else is refused before it is touched. */
    readonly open: (path: string) => Effect.Effect<OpenFile, FileError, Scope.Scope>
    /** The entries of a folder, in no order. */
    readonly entries: (path: string) => Effect.Effect<ReadonlyArray<Entry>, FileError>
    /** Follows links. False for a path that cannot be looked at. */
    readonly isDirectory: (path: string) => Effect.Effect<boolean>
    /** The path without links. Fails when there is nothing. */
    readonly realPath: (path: string) => Effect.Effect<string, FileError>
    /** Where a write to this path would go: without links, also when there is no file yet. */
    readonly resolve: (path: string) => Effect.Effect<string, FileError>
    /** Looks at a path from `resolve`. Fails for anything but a writable regular file or a path that is free. */
    readonly inspect: (path: string) => Effect.Effect<Target, FileError>
    /** Makes the folders above a path. */
    readonly makeParents: (path: string) => Effect.Effect<void, FileError>
    /**
     * Replaces the whole file: no reader sees a part of it, and an interrupt leaves the old file or the new one. Fails with
     * `changed` when the target is not as `inspect` found it. `onReplaced` gets the new version in the same
     * uninterruptible step as the replacement.
     */
    readonly replace: (
      target: Target,
      bytes: Uint8Array,
      onReplaced: (version: string) => void
    ) => Effect.Effect<void, FileError>
    /**
     * Whether programs that heddle starts see exactly these files. Only then may `grep` leave a search to ripgrep, which
     * reads the disk itself. A Layer that refuses, hides or redirects paths must say false.
     */
    readonly sharedWithPrograms: boolean
  }
>() {}
