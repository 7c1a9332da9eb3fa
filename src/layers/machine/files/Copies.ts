/** Copies of single files, and the removal of folders that their owner has closed to himself. */
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync
} from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { refused } from "./FileErrors.ts"

/** Undefined where there is nothing, also below a file. */
export const look = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if (refused(path)(cause).code === "ENOTDIR") return undefined
    throw cause
  }
}

/** Whether there was a regular file or a link to copy. What is at `to` is replaced; folders above it are made. */
export const copyFile = (from: string, to: string): boolean => {
  const stats = look(from)
  if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return false
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  rmSync(to, { force: true })
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
    return true
  }
  copyFileSync(from, to)
  chmodSync(to, stats.mode & 0o777)
  // Whole milliseconds, rounded down: git takes an index for older than it is, never for newer.
  utimesSync(to, Math.floor(stats.atimeMs) / 1000, Math.floor(stats.mtimeMs) / 1000)
  return true
}

export const ownSize = (folder: string, name: Uint8Array): number => {
  const stats = lstatSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { throwIfNoEntry: false })
  return stats?.isFile() === true ? stats.size : 0
}

export const nameAgain = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  rmSync(to, { force: true })
  linkSync(from, to)
}

const unlock = (folder: string): void => {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) unlock(join(folder, entry.name))
}

/** Removes a file or a folder. Folders without write permission, as package caches have them, are opened first. */
export const remove = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (cause) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw cause
    unlock(path)
    await rm(path, { recursive: true, force: true })
  }
}
