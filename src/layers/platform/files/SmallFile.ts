/**
 * Small files of this machine, read at once. The way through a thread and back takes longer than reading them does, a
 * hundred times longer where the processor has other work. Whatever might keep us waiting is left to LocalFiles.ts.
 */
import { closeSync, constants, openSync, readSync, realpathSync, type Stats, statfsSync, statSync } from "node:fs"
import * as LocalFiles from "./LocalFiles.ts"

export interface SmallFile {
  readonly bytes: Uint8Array
  /** The path without links in it. */
  readonly path: string
  /** From before the first byte was read. */
  readonly version: string
}

const largest = 256 * 1024

/** File systems of disks and of memory. Over a network, or in another program, a read may take as long as it likes. */
const localTypes = new Set([
  0xef53, // ext
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630 // overlayfs
])

/** By device: what one holds does not change while we run. */
const locals = new Map<number, boolean>()

const isLocal = (path: string, { dev }: Stats): boolean => {
  const known = locals.get(dev)
  if (known !== undefined) return known
  const found = process.platform === "linux" && localTypes.has(statfsSync(path).type)
  locals.set(dev, found)
  return found
}

/** Files below /proc say that they are empty, and reading some of them waits for something to happen. */
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

/** Undefined for everything else: not small, not a file, growing, not there. */
export const read = (path: string): SmallFile | undefined => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || !isSmall(stats) || !isLocal(path, stats)) return undefined
    const bytes = readAll(path, stats.size)
    if (bytes === undefined) return undefined
    return { bytes, path: realpathSync(path), version: LocalFiles.versionOf(stats) }
  } catch {
    return undefined // LocalFiles.ts says why
  }
}
