/** The files that an extension gives its tools, such as those of another machine. */
import * as Effect from "effect/Effect"
import { FileError, type FileErrorReason, type Files } from "../../../../services/machine/Files.ts"
import * as ForeignValue from "../../../machine/foreign/ForeignValue.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { Operations } from "../HostBindings.ts"

type FilesService = typeof Files.Service

const reasons: Readonly<Record<string, FileErrorReason>> = {
  ENOENT: "not_found",
  EACCES: "denied",
  EPERM: "denied",
  ENOTDIR: "not_directory"
}

const failure = (path: string) => (cause: unknown) =>
  new FileError({
    path,
    reason: reasons[ForeignValue.textIn(cause, "code") ?? ""] ?? "unreadable",
    description: ForeignValue.textOf(cause)
  })

/** Foreign functions may return a value, return a promise, or throw. */
const ask = <A>(path: string, call: () => Promise<A> | A): Effect.Effect<A, FileError> =>
  Effect.tryPromise({ try: async () => call(), catch: failure(path) })

const chunk = 64 * 1024

/** A copy: the bytes are read later, when nothing catches what an object of others may throw. */
const toBytes = (content: Uint8Array | string) =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

const opened = (path: string, bytes: Uint8Array) => ({
  path,
  size: bytes.length,
  version: String(bytes.length),
  realPath: Effect.succeed(path),
  read: (position: number) => Effect.succeed(bytes.subarray(position, position + chunk)),
  readFirst: (length: number) => Effect.succeed(bytes.slice(0, length))
})

const readable = (operations: Operations, local: FilesService): Pick<FilesService, "open"> => {
  const { access, readFile } = operations
  if (readFile === undefined) return { open: local.open }
  return {
    open: (path) =>
      ask(path, async () => {
        await access?.(path)
        return opened(path, toBytes(await readFile(path)))
      })
  }
}

const writable = ({ mkdir, writeFile }: Operations, local: FilesService) => {
  if (writeFile === undefined) return {}
  const replace: FilesService["replace"] = ({ path }, bytes, onReplaced) =>
    Effect.map(
      ask(path, () => writeFile(path, new TextDecoder().decode(bytes))),
      () => onReplaced("")
    )
  const inspect: FilesService["inspect"] = (path) => Effect.succeed({ path, version: undefined, owner: undefined })
  const makeParents: FilesService["makeParents"] = (path) =>
    mkdir === undefined ? Effect.void : ask(path, () => mkdir(LocalPaths.dirname(path)))
  return { ...local, replace, inspect, makeParents }
}

const missing = (path: string) => new FileError({ path, reason: "not_found", description: "not found" })
const noFolder = (path: string) => new FileError({ path, reason: "not_directory", description: "a file" })

const listed = (operations: Operations, local: FilesService): Pick<FilesService, "entries" | "isDirectory"> => {
  const { exists, isDirectory, readdir, stat } = operations
  const looksAt =
    isDirectory ?? (stat === undefined ? undefined : async (path: string) => (await stat(path)).isDirectory())
  const isFolder = (path: string) =>
    looksAt === undefined
      ? Effect.succeed(false)
      : Effect.orElseSucceed(
          ask(path, () => looksAt(path)),
          () => false
        )
  if (readdir === undefined) {
    // `grep` looks through the local tree and leaves only the reading of files to the extension.
    const entries = isDirectory === undefined ? (path: string) => Effect.fail(noFolder(path)) : local.entries
    return { entries, isDirectory: isFolder }
  }
  const entries = Effect.fnUntraced(function* (path: string) {
    if (exists !== undefined && !(yield* ask(path, () => exists(path)))) return yield* missing(path)
    if (stat !== undefined && !(yield* ask(path, () => stat(path))).isDirectory()) return yield* noFolder(path)
    const names = yield* ask(path, () => readdir(path))
    // A link makes the tool ask whether it leads to a folder.
    return names.map((name) => ({ name, kind: "link" as const }))
  })
  return { entries, isDirectory: isFolder }
}

/** Paths are taken as they are: links of another machine are its own matter. */
export const make = (operations: Operations, local: FilesService): FilesService => ({
  ...local,
  ...writable(operations, local),
  ...readable(operations, local),
  ...listed(operations, local),
  realPath: Effect.succeed,
  resolve: Effect.succeed,
  sharedWithPrograms: false
})
