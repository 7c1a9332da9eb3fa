/**
 * Files over a FileSystem of @effect/platform, so that the tools work on whatever disk a program provides. It has no look at a
 * path that does not follow links, so an entry is asked whether it is one.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Entry, FileError, Files, type OpenFile, type Target } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import { toFileError } from "./PlatformErrors.ts"

const largestBuffer = 1024 * 1024
const smallestBuffer = 64 * 1024
/** An interrupt takes effect after the current piece. */
const pieceBytes = 1024 * 1024
const mostLinks = 40
/** Leaves the owner as it is. */
const unknownId = -1

type Info = FileSystem.File.Info

const millisOf = ({ mtime }: Info) => Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })
const versionOf = (info: Info): string => `${millisOf(info)}:${info.size}`

const kinds: Partial<Record<Info["type"], Entry["kind"]>> = { File: "file", Directory: "directory" }

/** Why a path cannot be opened as a file. */
const refusal = (path: string, { type }: Info): FileError | undefined => {
  if (type === "File") return undefined
  if (type === "Directory") return new FileError({ path, reason: "is_directory", description: "a directory" })
  return new FileError({ path, reason: "not_regular", description: `not a regular file: ${type}` })
}

const makeOpen = (fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (path: string) {
    const failed = toFileError(path)
    const info = yield* Effect.mapError(fs.stat(path), failed)
    const refused = refusal(path, info)
    if (refused !== undefined) return yield* refused
    const handle = yield* Effect.mapError(fs.open(path, { flag: "r" }), failed)
    const size = Number(info.size)
    const buffer = new Uint8Array(Math.min(largestBuffer, Math.max(smallestBuffer, size + 1)))
    const readInto = (target: Uint8Array, position: number) =>
      Effect.zipRight(handle.seek(position, "start"), handle.read(target)).pipe(
        Effect.mapBoth({ onFailure: failed, onSuccess: Number })
      )
    const file: OpenFile = {
      path,
      size,
      version: versionOf(info),
      realPath: Effect.mapError(fs.realPath(path), failed),
      read: (position) => Effect.map(readInto(buffer, position), (count) => buffer.subarray(0, count)),
      readFirst: Effect.fnUntraced(function* (length: number) {
        const target = new Uint8Array(Math.min(length, size))
        let filled = 0
        while (filled < target.length) {
          const count = yield* readInto(target.subarray(filled), filled)
          if (count === 0) break
          filled += count
        }
        return target.subarray(0, filled)
      })
    }
    return file
  })

const makeEntries = (fs: FileSystem.FileSystem) => {
  const kindAt = (path: string): Effect.Effect<Entry["kind"]> =>
    fs.readLink(path).pipe(
      Effect.as("link" as const),
      Effect.orElse(() => Effect.map(fs.stat(path), ({ type }) => kinds[type] ?? "other")),
      Effect.orElseSucceed(() => "other" as const)
    )
  const isFile = (path: string) =>
    Effect.match(fs.stat(path), { onFailure: () => false, onSuccess: ({ type }) => type !== "Directory" })
  const whyNot = (path: string) => (error: PlatformError) =>
    Effect.flatMap(isFile(path), (other) =>
      other
        ? new FileError({ path, reason: "not_directory", description: "not a directory" })
        : toFileError(path)(error)
    )
  return (path: string) =>
    fs.readDirectory(path).pipe(
      Effect.catchAll(whyNot(path)),
      Effect.flatMap((names) =>
        Effect.forEach(
          names,
          (name) => Effect.map(kindAt(LocalPaths.join(path, name)), (kind): Entry => ({ name, kind })),
          { concurrency: 16 }
        )
      )
    )
}

/** Also for paths, and for targets of links, that do not exist yet. */
const makeResolve = (fs: FileSystem.FileSystem) => {
  const isMissing = (error: PlatformError) => toFileError("")(error).reason === "not_found"
  const resolve = (path: string, links: number): Effect.Effect<string, FileError> =>
    fs.realPath(path).pipe(
      Effect.catchAll((error) =>
        Effect.gen(function* () {
          const folder = LocalPaths.dirname(path)
          if (!isMissing(error)) return yield* toFileError(path)(error)
          if (folder === path) return path
          const realFolder = yield* resolve(folder, links)
          const link = yield* Effect.option(fs.readLink(path))
          if (Option.isNone(link)) return LocalPaths.join(realFolder, LocalPaths.basename(path))
          if (links === 0) return yield* new FileError({ path, reason: "unreadable", description: "too many links" })
          return yield* resolve(LocalPaths.resolve(realFolder, link.value), links - 1)
        })
      )
    )
  return (path: string) => resolve(path, mostLinks)
}

const makeInspect = (fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (path: string) {
    const failed = toFileError(path)
    const found = yield* fs.stat(path).pipe(
      Effect.mapError(failed),
      Effect.asSome,
      Effect.catchIf(
        ({ reason }) => reason === "not_found",
        () => Effect.succeedNone
      )
    )
    if (Option.isNone(found)) return { path, version: undefined, owner: undefined } satisfies Target
    const info = found.value
    const refused = refusal(path, info)
    if (refused !== undefined) return yield* refused
    // A rename would not ask whether the file itself is writable.
    yield* Effect.mapError(fs.access(path, { writable: true }), failed)
    const id = Option.getOrElse(() => unknownId)
    const owner = { mode: info.mode, uid: id(info.uid), gid: id(info.gid) }
    return { path, version: versionOf(info), owner } satisfies Target
  })

/** Writes beside the target and renames: no reader sees a part, and an interrupt leaves the old file or the new one. */
const makeReplace = (fs: FileSystem.FileSystem) =>
  Effect.fnUntraced(function* (target: Target, bytes: Uint8Array, onReplaced: (version: string) => void) {
    const { owner, path, version } = target
    const draft = LocalPaths.join(LocalPaths.dirname(path), `.heddle-${crypto.randomUUID()}.tmp`)
    const failed = toFileError(path)
    const write = Effect.scoped(
      Effect.gen(function* () {
        const file = yield* fs.open(draft, { flag: "wx", mode: owner === undefined ? 0o666 : 0o600 })
        for (let at = 0; at < bytes.length; at += pieceBytes)
          yield* Effect.uninterruptible(file.writeAll(bytes.subarray(at, at + pieceBytes)))
      })
    )
    const isKept = ({ gid, uid }: NonNullable<Target["owner"]>) =>
      uid === unknownId ? Effect.succeed(false) : Effect.isSuccess(fs.chown(draft, uid, gid))
    const current = fs.stat(path).pipe(
      Effect.map(versionOf),
      Effect.catchIf(
        (error) => failed(error).reason === "not_found",
        () => Effect.succeed(undefined)
      )
    )
    const commit = Effect.gen(function* () {
      if ((yield* current) !== version) return false
      yield* fs.rename(draft, path)
      onReplaced(versionOf(yield* fs.stat(path)))
      return true
    })
    const all = Effect.gen(function* () {
      yield* write
      // Without its owner a file does not keep set-user-ID and set-group-ID.
      if (owner !== undefined) yield* fs.chmod(draft, owner.mode & ((yield* isKept(owner)) ? 0o7777 : 0o777))
      return yield* Effect.uninterruptible(commit)
    })
    const done = yield* all.pipe(
      Effect.mapError(failed),
      Effect.onExit((exit) =>
        exit._tag === "Success" && exit.value ? Effect.void : Effect.ignore(fs.remove(draft, { force: true }))
      )
    )
    if (!done) return yield* new FileError({ path, reason: "changed", description: "changed meanwhile" })
  })

export interface FilesOptions {
  /** Whether programs that are started see the same files, so that ripgrep may search them. */
  readonly sharedWithPrograms: boolean
}

export const layer = ({ sharedWithPrograms }: FilesOptions): Layer.Layer<Files, never, FileSystem.FileSystem> =>
  Layer.effect(
    Files,
    Effect.map(FileSystem.FileSystem, (fs) =>
      Files.of({
        open: makeOpen(fs),
        entries: makeEntries(fs),
        isDirectory: (path) =>
          Effect.match(fs.stat(path), { onFailure: () => false, onSuccess: ({ type }) => type === "Directory" }),
        realPath: (path) => Effect.mapError(fs.realPath(path), toFileError(path)),
        resolve: makeResolve(fs),
        inspect: makeInspect(fs),
        makeParents: (path) =>
          Effect.mapError(fs.makeDirectory(LocalPaths.dirname(path), { recursive: true }), toFileError(path)),
        replace: makeReplace(fs),
        sharedWithPrograms
      })
    )
  )
