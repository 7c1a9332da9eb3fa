/** Files of this machine, read in bounded pieces: memory does not grow with the size of a file. */
import type { Dirent } from "node:fs"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Entry, FileError, Files, type OpenFile } from "../../../services/machine/Files.ts"
import * as AtomicFiles from "./AtomicFiles.ts"
import { attempt, refusal, versionOf } from "./FileErrors.ts"
import * as SmallFile from "./SmallFile.ts"

const smallestBuffer = 64 * 1024
const largestBuffer = 1024 * 1024

const realPath = (path: string) => attempt(path, () => fs.realpath(path))

const openLarge = Effect.fn("LocalFiles.open")(function* (path: string) {
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
  const file: OpenFile = {
    path,
    size: stats.size,
    version: versionOf(stats),
    realPath: realPath(path),
    read: (position) => Effect.map(readInto(buffer, 0, position), (bytesRead) => buffer.subarray(0, bytesRead)),
    readFirst: Effect.fnUntraced(function* (length: number) {
      const target = new Uint8Array(Math.min(length, stats.size))
      let filled = 0
      while (filled < target.length) {
        const bytesRead = yield* readInto(target, filled, filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return target.subarray(0, filled)
    })
  }
  return file
})

const open = (path: string) =>
  Effect.suspend(() => {
    const small = SmallFile.read(path)
    return small === undefined ? openLarge(path) : Effect.succeed(small)
  })

const kindOf = (entry: Pick<Dirent, "isDirectory" | "isFile" | "isSymbolicLink">): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

const kindAt = async (path: string): Promise<Entry["kind"]> => {
  const stats = await fs.lstat(path).catch(() => undefined)
  return stats === undefined ? "other" : kindOf(stats)
}

const list = async (path: string): Promise<ReadonlyArray<Entry>> => {
  const found = await fs.readdir(path, { withFileTypes: true })
  return Promise.all(
    found.map(async (entry) => {
      // Some file systems do not list the kind along with the name.
      const kind = kindOf(entry)
      return { name: entry.name, kind: kind === "other" ? await kindAt(join(path, entry.name)) : kind }
    })
  )
}

/** The system calls a file in place of a folder "not found" when it lists, so the path is looked at once more. */
const whyNotListed = (path: string, error: FileError) =>
  Effect.flatMap(
    attempt(path, () => fs.stat(path)),
    (stats) =>
      stats.isDirectory() ? error : new FileError({ path, reason: "not_directory", description: "not a directory" })
  )

const entries = (path: string) =>
  Effect.catchAll(
    attempt(path, () => list(path)),
    (error) => whyNotListed(path, error)
  ).pipe(Effect.withSpan("LocalFiles.entries"))

const isDirectory = (path: string) =>
  Effect.match(
    attempt(path, () => fs.stat(path)),
    { onFailure: () => false, onSuccess: (stats) => stats.isDirectory() }
  )

export const service = Files.of({
  open,
  entries,
  isDirectory,
  realPath,
  resolve: AtomicFiles.resolve,
  inspect: AtomicFiles.inspect,
  makeParents: AtomicFiles.makeParents,
  replace: AtomicFiles.replace,
  sharedWithPrograms: true
})

export const layer = Layer.succeed(Files, service)
