/**
 * A FileSystem of @effect/platform over Files, so that code which is written for it passes the same sandbox or approval as the tools.
 * It reads, lists and writes whole files. What Files has no method for (links, removing, renaming, permissions, watching, files
 * that are written in parts) fails with `PermissionDenied` and says so.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../files/LocalPaths.ts"
import { alreadyExists, fromFileError, notOffered } from "./PlatformErrors.ts"

type Service = typeof Files.Service

const infoOf = (type: FileSystem.File.Type, size: number, mode: number): FileSystem.File.Info => ({
  type,
  size: FileSystem.Size(size),
  mode,
  dev: 0,
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  ino: Option.none(),
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  blksize: Option.none(),
  blocks: Option.none()
})

const modes = { folder: 0o755, file: 0o644, readOnly: 0o444 }

/** The rest of a file from a position on, in one piece. */
const readAll = Effect.fnUntraced(function* (file: OpenFile) {
  const pieces: Array<Uint8Array> = []
  let position = 0
  for (let piece = yield* file.read(0); piece.length > 0; piece = yield* file.read(position)) {
    pieces.push(piece.slice())
    position += piece.length
  }
  const bytes = new Uint8Array(position)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
})

const readOnly = (path: string, file: OpenFile, mode: number): FileSystem.File => {
  let position = 0
  const failed = fromFileError("read")
  const read = (buffer: Uint8Array) =>
    Effect.map(Effect.mapError(file.read(position), failed), (piece) => {
      const part = piece.subarray(0, buffer.length)
      buffer.set(part)
      position += part.length
      return FileSystem.Size(part.length)
    })
  const refused = (method: string) => Effect.fail(notOffered(method, path))
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    fd: FileSystem.FileDescriptor(-1),
    stat: Effect.succeed(infoOf("File", file.size, mode)),
    seek: (offset, from) =>
      Effect.sync(() => {
        position = from === "start" ? Number(offset) : position + Number(offset)
      }),
    sync: Effect.void,
    read,
    readAlloc: (size) =>
      Effect.suspend(() => {
        const buffer = new Uint8Array(Number(size))
        return Effect.map(read(buffer), (count) =>
          count === FileSystem.Size(0) ? Option.none() : Option.some(buffer.subarray(0, Number(count)))
        )
      }),
    truncate: () => refused("truncate"),
    write: () => refused("write"),
    writeAll: () => refused("writeAll")
  }
}

const reading = (files: Service) => {
  const isWritable = (path: string) => Effect.isSuccess(Effect.flatMap(files.resolve(path), files.inspect))
  const modeOf = (path: string) => Effect.map(isWritable(path), (is) => (is ? modes.file : modes.readOnly))
  const stat = (path: string): Effect.Effect<FileSystem.File.Info, PlatformError> =>
    Effect.gen(function* () {
      if (yield* files.isDirectory(path)) return infoOf("Directory", 0, modes.folder)
      const { size } = yield* Effect.scoped(files.open(path))
      return infoOf("File", size, yield* modeOf(path))
    }).pipe(Effect.mapError(fromFileError("stat")))
  const below = (path: string): Effect.Effect<Array<string>, FileError> =>
    Effect.flatMap(files.entries(path), (entries) =>
      Effect.map(
        Effect.forEach(entries, ({ kind, name }) =>
          kind === "directory"
            ? Effect.map(below(LocalPaths.join(path, name)), (names) => [
                name,
                ...names.map((inner) => LocalPaths.join(name, inner))
              ])
            : Effect.succeed([name])
        ),
        (found) => found.flat()
      )
    )
  return {
    stat,
    access: (path: string, { writable = false }: FileSystem.AccessFileOptions = {}) =>
      Effect.flatMap(stat(path), ({ mode, type }) =>
        writable && type === "File" && mode === modes.readOnly ? notOffered("access", path) : Effect.void
      ),
    open: (path: string, { flag = "r" }: FileSystem.OpenFileOptions = {}) =>
      flag === "r"
        ? Effect.flatMap(Effect.mapError(files.open(path), fromFileError("open")), (file) =>
            Effect.map(modeOf(path), (mode) => readOnly(path, file, mode))
          )
        : Effect.fail(notOffered(`open with the flag ${flag}`, path)),
    readFile: (path: string) =>
      Effect.mapError(Effect.scoped(Effect.flatMap(files.open(path), readAll)), fromFileError("readFile")),
    readDirectory: (path: string, { recursive = false }: FileSystem.ReadDirectoryOptions = {}) =>
      Effect.mapError(
        recursive ? below(path) : Effect.map(files.entries(path), (entries) => entries.map(({ name }) => name)),
        fromFileError("readDirectory")
      ),
    realPath: (path: string) => Effect.mapError(files.realPath(path), fromFileError("realPath"))
  }
}

const joined = (first: Uint8Array, second: Uint8Array) => {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

const writing = (files: Service, { readFile }: ReturnType<typeof reading>) => {
  const replace = Effect.fnUntraced(function* (path: string, data: Uint8Array, flag: FileSystem.OpenFlag) {
    const failed = fromFileError("writeFile")
    const target = yield* Effect.mapError(Effect.flatMap(files.resolve(path), files.inspect), failed)
    const exists = target.version !== undefined
    if (exists && flag.includes("x")) return yield* alreadyExists("writeFile", path)
    const bytes = exists && flag.startsWith("a") ? joined(yield* readFile(path), data) : data
    yield* Effect.mapError(
      files.replace(target, bytes, () => undefined),
      failed
    )
  })
  return {
    writeFile: (path: string, data: Uint8Array, { flag = "w" }: FileSystem.WriteFileOptions = {}) =>
      flag.startsWith("r")
        ? Effect.fail(notOffered(`writeFile with the flag ${flag}`, path))
        : replace(path, data, flag),
    copyFile: (from: string, to: string) => Effect.flatMap(readFile(from), (data) => replace(to, data, "w")),
    /** With its parents, also where those are not wanted. */
    makeDirectory: (path: string) =>
      Effect.mapError(files.makeParents(LocalPaths.join(path, "_")), fromFileError("makeDirectory"))
  }
}

const refused = (method: string) => (path: string) => Effect.fail(notOffered(method, path))
const nowhere = (method: string) => () => Effect.fail(notOffered(method, ""))

const make = (files: Service) => {
  const readers = reading(files)
  return FileSystem.make({
    ...readers,
    ...writing(files, readers),
    chmod: refused("chmod"),
    chown: refused("chown"),
    copy: refused("copy"),
    link: refused("link"),
    makeTempDirectory: nowhere("makeTempDirectory"),
    makeTempDirectoryScoped: nowhere("makeTempDirectoryScoped"),
    makeTempFile: nowhere("makeTempFile"),
    makeTempFileScoped: nowhere("makeTempFileScoped"),
    readLink: refused("readLink"),
    remove: refused("remove"),
    rename: refused("rename"),
    symlink: refused("symlink"),
    truncate: refused("truncate"),
    utimes: refused("utimes"),
    watch: (path) => Stream.fail(notOffered("watch", path))
  })
}

export const layer: Layer.Layer<FileSystem.FileSystem, never, Files> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(Files, make)
)
