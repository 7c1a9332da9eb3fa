/**
 * The files that heddle keeps for itself: sessions, settings, keys, models, full output of commands. They are small or
 * appended to line by line, so all but outputs are read and written synchronously: that takes less time than a trip through
 * a thread, and a line is in the system's hands when its append returns. A reference with the local files as default
 * (docs/decisions/0017-files-and-processes.md); a Layer replaces it.
 */
import * as nodeFs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Attempt from "../../engine/Attempt.ts"
import * as Copies from "../Copies.ts"
import * as Exchange from "../Exchange.ts"
import { FileRefused, refused } from "../FileErrors.ts"
import * as GrowingFile from "./GrowingFile.ts"
import * as OutputFile from "./OutputFile.ts"
import * as RegularFile from "../RegularFile.ts"

const mostLinks = 40

/**
 * The file behind the links, where a write has to go: replacing the link itself would leave that file as it was. It need not
 * exist yet. Throws what the system says.
 */
const behindLinks = (path: string, links = mostLinks): string => {
  const real = Attempt.orUndefined(() => nodeFs.realpathSync(path))
  if (real !== undefined) return real
  const folder = nodeFs.realpathSync(dirname(path))
  const link = Attempt.orUndefined(() => nodeFs.readlinkSync(path))
  if (link === undefined) return join(folder, basename(path))
  if (links === 0) throw new Error("too many links")
  return behindLinks(resolve(folder, link), links - 1)
}

export { FileRefused }
export type { GrowingFile } from "./GrowingFile.ts"
export { type Loaded, type Mark, notRegular } from "../RegularFile.ts"

export interface Found {
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  /** A regular file, or a link to one. */
  readonly isFile: boolean
  readonly modifiedAt: number
  readonly size: number
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
  /** Refuses a link that leads nowhere with the code `NOT_REGULAR`. */
  readonly real: (path: string) => Effect.Effect<string, FileRefused>
  /** How many names a regular file has; fails for anything else. */
  readonly names: (path: string) => Effect.Effect<number, FileRefused>
  /** Like all that opens a file, this refuses what is not a regular file, with the code `EISDIR` or `NOT_REGULAR`. */
  readonly read: (path: string) => Effect.Effect<Uint8Array, FileRefused>
  /** The bytes, if they are not more than `largest`, and a mark for `change`, which holds until the scope closes. */
  readonly load: (path: string, largest: number) => Effect.Effect<RegularFile.Loaded, FileRefused, Scope.Scope>
  readonly change: (path: string, mark: RegularFile.Mark) => Effect.Effect<string | undefined>
  /** The first bytes, enough for a header. */
  readonly readStart: (path: string) => Effect.Effect<Uint8Array, FileRefused>
  /** Empty when there is no such folder. */
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<Found>, FileRefused>
  /** Fails where nothing can be written into the folder, which need not exist yet. A look, not a promise. */
  readonly checkWritable: (folder: string) => Effect.Effect<void, FileRefused>
  readonly makeFolder: (path: string) => Effect.Effect<void, FileRefused>
  /** Fails where there is one. */
  readonly create: (path: string) => Effect.Effect<GrowingFile.GrowingFile, FileRefused>
  /** Only its owner can read the file afterwards. `change` compares with `mark`, by default with the file as it is. */
  readonly open: (path: string, mark?: RegularFile.Mark) => Effect.Effect<GrowingFile.GrowingFile, FileRefused>
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
  /** Leaves a folder alone that has anything in it. */
  readonly removeEmptyFolder: (path: string) => Effect.Effect<void>
  /** Makes a link to a folder or a file, which need not exist. Fails where there is something. */
  readonly link: (target: string, path: string) => Effect.Effect<void, FileRefused>
  /**
   * Copies a regular file with its permissions and time, or a link, over what is at `to`; false where there is neither.
   */
  readonly copyFile: (from: string, to: string) => Effect.Effect<boolean, FileRefused>
  /** The bytes of a regular file, not of what a link leads to; 0 for anything else. The name need not be UTF-8. */
  readonly ownSize: (folder: string, name: Uint8Array) => Effect.Effect<number, FileRefused>
  /** Gives a file a second name, whose folder is made, on the same disk. What is at `to` is replaced. */
  readonly nameAgain: (from: string, to: string) => Effect.Effect<void, FileRefused>
  /** Whether both paths have the same: a file, a link, or nothing. */
  readonly isSame: (one: string, other: string) => Effect.Effect<boolean, FileRefused>
  /** False, with nothing changed, where the file is not as it was copied. */
  readonly exchange: (exchanged: Exchange.Exchanged) => Effect.Effect<boolean, FileRefused>
}

const attempt = <A>(path: string, run: () => A) => Effect.try({ try: run, catch: refused(path) })

const syncFolder = (path: string) => {
  const fd = nodeFs.openSync(path, "r")
  try {
    nodeFs.fsyncSync(fd)
  } finally {
    nodeFs.closeSync(fd)
  }
}

const look = (path: string) => Attempt.orUndefined(() => nodeFs.statSync(path, { throwIfNoEntry: false }))

/** Leaves out what cannot be looked at: links that lead nowhere or in a circle. */
const found = (folder: string, entry: nodeFs.Dirent): ReadonlyArray<Found> => {
  const path = join(folder, entry.name)
  const stats = look(path)
  if (stats === undefined) return []
  const [isFolder, isFile] = [stats.isDirectory(), stats.isFile()]
  return [{ path, name: entry.name, isFolder, isFile, modifiedAt: stats.mtimeMs, size: stats.size }]
}

const writability = (folder: string) => {
  let path = folder
  while (!nodeFs.existsSync(path) && dirname(path) !== path) path = dirname(path)
  if (look(path)?.isDirectory() !== true)
    throw new FileRefused({ path, code: "ENOTDIR", message: "it is a file, not a folder" })
  nodeFs.accessSync(path, nodeFs.constants.W_OK | nodeFs.constants.X_OK)
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
  const path = behindLinks(link)
  const draft = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`
  try {
    const before = nodeFs.statSync(path, { throwIfNoEntry: false })
    if (before !== undefined) RegularFile.refuseOdd(path, before)
    RegularFile.write(draft, text, { mode: (wanted ?? before?.mode ?? 0o600) & 0o777, flush: true })
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

const isLink = (path: string) => nodeFs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

const real = (path: string): string => {
  try {
    return nodeFs.realpathSync(path)
  } catch (cause) {
    const isAstray = isMissing(cause) || refused("")(cause).code === "ELOOP"
    if (!isAstray || !isLink(path)) throw cause
    throw new FileRefused({ path, code: RegularFile.notRegular, message: "a link that leads nowhere" })
  }
}

export const local: Files = {
  state: (path) => attempt(path, () => state(path)),
  real: (path) => attempt(path, () => real(path)),
  names: (path) => attempt(path, () => RegularFile.names(path)),
  read: (path) => attempt(path, () => RegularFile.read(path)),
  load: (path, largest) =>
    Effect.acquireRelease(
      attempt(path, () => RegularFile.load(path, largest)),
      ({ close }) => Effect.ignore(attempt(path, close))
    ),
  change: (path, mark) => Effect.sync(() => RegularFile.changeSince(path, mark)),
  readStart: (path) => attempt(path, () => RegularFile.readStart(path)),
  list: (folder) => attempt(folder, () => list(folder)),
  checkWritable: (folder) => attempt(folder, () => writability(folder)),
  makeFolder: (path) => Effect.asVoid(attempt(path, () => nodeFs.mkdirSync(path, { recursive: true, mode: 0o700 }))),
  create: (path) => attempt(path, () => GrowingFile.create(path)),
  open: (path, mark) => attempt(path, () => GrowingFile.open(path, mark)),
  replace: (path, text, mode) => attempt(path, () => replace(path, text, mode)),
  copyFolder: (from, to) => attempt(from, () => OutputFile.copyFolder(from, to)),
  createOutput: OutputFile.create,
  temporaryFolder: OutputFile.temporaryFolder,
  removeFolder: OutputFile.removeFolder,
  removeEmptyFolder: (path) => Effect.ignore(attempt(path, () => nodeFs.rmdirSync(path))),
  link: (target, path) => attempt(path, () => nodeFs.symlinkSync(target, path)),
  copyFile: (from, to) => attempt(from, () => Copies.copyFile(from, to)),
  ownSize: (folder, name) => attempt(folder, () => Copies.ownSize(folder, name)),
  nameAgain: (from, to) => attempt(from, () => Copies.nameAgain(from, to)),
  isSame: (one, other) => attempt(one, () => Exchange.isSame(one, other)),
  exchange: (exchanged) => attempt(exchanged.path, () => Exchange.exchange(exchanged))
}

export class OwnFiles extends Context.Reference<OwnFiles>()("heddle/layers/machine/files/own/OwnFiles", {
  defaultValue: () => local
}) {}
