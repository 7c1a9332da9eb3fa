/**
 * Opens nothing but regular files, and never waits: opening a FIFO would hang, a device has no end, and some devices do
 * something when they are opened. What is created here is for its owner alone, whatever the umask says.
 */
import * as nodeFs from "node:fs"
import { FileRefused, oddKind } from "./FileErrors.ts"

/** The code of a refusal to open what is not a regular file; a folder has `EISDIR`. */
export const notRegular = "NOT_REGULAR"

const { O_CREAT, O_EXCL, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = nodeFs.constants
const startBytes = 64 * 1024

/** A file as it was at one time, to be compared with what its path leads to later. */
export interface Mark {
  readonly device: bigint
  readonly inode: bigint
  readonly size: bigint
}

export const refuseOdd = (path: string, stats: nodeFs.Stats | nodeFs.BigIntStats) => {
  if (stats.isDirectory()) throw new FileRefused({ path, code: "EISDIR", message: "a folder, not a file" })
  const kind = oddKind(stats)
  if (kind !== undefined) throw new FileRefused({ path, code: notRegular, message: `${kind}, not a file` })
}

/** Looks at the path before it opens it, and at what it has opened: something else may have taken its place. */
export const open = (path: string, flags: number): { readonly fd: number; readonly stats: nodeFs.BigIntStats } => {
  refuseOdd(path, nodeFs.statSync(path))
  const fd = nodeFs.openSync(path, flags | O_NONBLOCK)
  try {
    const stats = nodeFs.fstatSync(fd, { bigint: true })
    refuseOdd(path, stats)
    return { fd, stats }
  } catch (cause) {
    nodeFs.closeSync(fd)
    throw cause
  }
}

const using = <A>(path: string, use: (fd: number, stats: nodeFs.BigIntStats) => A): A => {
  const { fd, stats } = open(path, O_RDONLY)
  try {
    return use(fd, stats)
  } finally {
    nodeFs.closeSync(fd)
  }
}

export const read = (path: string): Uint8Array => using(path, (fd) => nodeFs.readFileSync(fd))

export interface Loaded {
  readonly bytes: Uint8Array
  readonly mark: Mark
}

/**
 * Reads a file of at most `largest` bytes and keeps it open, because the system gives the number of a file that is gone to
 * the next one.
 */
export const load = (path: string, largest: number): Loaded & { readonly close: () => void } => {
  const { fd, stats } = open(path, O_RDONLY)
  const close = () => nodeFs.closeSync(fd)
  try {
    if (stats.size > largest) {
      throw new FileRefused({ path, code: "EFBIG", message: `larger than ${largest / 1024 ** 2} MiB` })
    }
    const bytes = nodeFs.readFileSync(fd)
    return { bytes, mark: { device: stats.dev, inode: stats.ino, size: BigInt(bytes.length) }, close }
  } catch (cause) {
    close()
    throw cause
  }
}

/** The first bytes, enough for a header. */
export const readStart = (path: string): Uint8Array =>
  using(path, (fd) => {
    const bytes = new Uint8Array(startBytes)
    return bytes.subarray(0, nodeFs.readSync(fd, bytes))
  })

/** How many names the file has: more than one if there are hard links. */
export const names = (path: string): number => {
  const stats = nodeFs.statSync(path)
  refuseOdd(path, stats)
  return stats.nlink
}

/** What happened to the file since the mark was taken; undefined if nothing did, or if that is unknown. */
export const changeSince = (path: string, { device, inode, size }: Mark): string | undefined => {
  try {
    const stats = nodeFs.statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return "was deleted or renamed"
    if (stats.ino !== inode || stats.dev !== device) return "was replaced by another file"
    return stats.size === size ? undefined : "was changed by another program"
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : ""
    if (code === "ENOTDIR") return "was deleted or renamed"
    return code === "ELOOP" ? "was replaced by another file" : undefined
  }
}

/** File systems without permissions refuse this, and only the owner may do it. */
const setMode = (fd: number, mode: number) => {
  try {
    nodeFs.fchmodSync(fd, mode)
  } catch {
    // The file stays as its system or its owner has it.
  }
}

/** Takes the rights of everybody but the owner away. */
export const tighten = (fd: number, mode: number) => {
  if ((mode & 0o077) !== 0) setMode(fd, mode & 0o700)
}

/** Fails where there is something. */
export const create = (path: string, flags = 0, mode = 0o600): number => {
  const fd = nodeFs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | flags, mode)
  setMode(fd, mode)
  return fd
}

export interface WriteOptions {
  readonly mode?: number
  /** Whether the text survives a power cut when this returns. */
  readonly flush?: boolean
}

/** Writes a new file. Fails where there is something. */
export const write = (path: string, text: string, { flush = false, mode }: WriteOptions = {}) => {
  const fd = create(path, 0, mode)
  try {
    nodeFs.writeFileSync(fd, text)
    if (flush) nodeFs.fsyncSync(fd)
  } finally {
    nodeFs.closeSync(fd)
  }
}
