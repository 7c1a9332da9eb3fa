/**
 * Small files of local disks, read synchronously. A system call takes 3 us, and each of the five trips through a thread that
 * it replaces takes up to a millisecond on a busy processor (docs/decisions/0013-tool-calls.md). Whatever might keep heddle
 * waiting is left to LocalFiles.ts.
 */
import { closeSync, constants, openSync, readSync, realpathSync, type Stats, statfsSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { OpenFile } from "../../../services/machine/Files.ts"
import { attemptSync, versionOf } from "./FileErrors.ts"

const largest = 256 * 1024

/** File systems of disks and of memory. A network or a FUSE program may take as long as it likes to answer. */
const localTypes = new Set([
  0xef53, // ext
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630 // overlayfs
])

/** Whether a device is local, by its number; that does not change while heddle runs. */
const locals = new Map<number, boolean>()

const isLocal = (path: string, { dev }: Stats): boolean => {
  const known = locals.get(dev)
  if (known !== undefined) return known
  const found = process.platform === "linux" && localTypes.has(statfsSync(path).type)
  locals.set(dev, found)
  return found
}

/** Files below /proc say that they are empty, and reading some of them waits for an event. */
const isSmall = ({ size }: Stats): boolean => size > 0 && size <= largest

const readAll = (path: string, size: number): Uint8Array | undefined => {
  // Without O_NONBLOCK a FIFO that took the place of the file since `stat` would hang the open.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const buffer = new Uint8Array(size + 1)
    const length = readSync(file, buffer, 0, buffer.length, 0)
    return length > size ? undefined : buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

const toOpenFile = (path: string, stats: Stats, bytes: Uint8Array): OpenFile => ({
  path,
  size: bytes.length,
  version: versionOf(stats),
  realPath: attemptSync(path, () => realpathSync(path)),
  read: (position) => Effect.succeed(bytes.subarray(position)),
  readFirst: (length) => Effect.succeed(bytes.subarray(0, length))
})

/** Undefined for everything else: not small, not a file, growing, not there. */
export const read = (path: string): OpenFile | undefined => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || !isSmall(stats) || !isLocal(path, stats)) return undefined
    const bytes = readAll(path, stats.size)
    return bytes === undefined ? undefined : toOpenFile(path, stats, bytes)
  } catch {
    return undefined // LocalFiles.ts says why
  }
}
