/**
 * Finds the repositories below a folder, and what has heddle's settings. A second look reads only folders that have changed
 * since: the kernel notes the time of the last change of a folder, and no program can set it.
 */
import * as nodeFs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { setImmediate } from "../../engine/Primordials.ts"

export interface Marked {
  readonly path: string
  /** `bare`: the folder itself is a repository. `settings`: a folder or a file that heddle reads settings or code from. */
  readonly kind: "folder" | "file" | "link" | "bare" | "settings"
}

export interface Look {
  readonly found: ReadonlyArray<Marked>
  /** There are more folders than are looked into; those near the top come first. */
  readonly isPartial: boolean
}

interface Seen {
  readonly changedAt: bigint
  /** False when it was read so soon after its last change that another one may bear the same time. */
  readonly isSettled: boolean
  readonly folders: ReadonlyArray<string>
  readonly found: ReadonlyArray<Marked>
}

/** Two changes within this time may bear the same time. */
const coarsest = 100_000_000n
const mostFolders = 50_000
const foldersAtOnce = 500

const settings = new Set([".heddle", ".pi"])

const kindOf = (entry: nodeFs.Dirent): Marked["kind"] =>
  entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : "file"

const isBare = (entries: ReadonlyArray<nodeFs.Dirent>): boolean => {
  const has = (name: string) => entries.some((entry) => entry.name === name)
  return has("HEAD") && has("objects") && has("refs")
}

const read = (folder: string): Omit<Seen, "changedAt" | "isSettled"> => {
  const entries = nodeFs.readdirSync(folder, { withFileTypes: true })
  const folders: Array<string> = []
  const found: Array<Marked> = isBare(entries) ? [{ path: folder, kind: "bare" }] : []
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.name.toLowerCase() === ".git") found.push({ path, kind: kindOf(entry) })
    else if (settings.has(entry.name)) found.push({ path, kind: entry.isSymbolicLink() ? "link" : "settings" })
    else if (entry.isDirectory()) folders.push(path)
  }
  // What is below a bare repository belongs to it.
  return { folders: found[0]?.kind === "bare" ? [] : folders, found }
}

/** What is in the folder itself; nothing where it cannot be read. */
export const top = (folder: string): Effect.Effect<ReadonlyArray<Marked>> =>
  Effect.sync(() => look(folder, undefined)?.found ?? [])

const look = (folder: string, before: Seen | undefined): Seen | undefined => {
  try {
    const now = BigInt(Date.now()) * 1_000_000n
    const { ctimeNs: changedAt } = nodeFs.lstatSync(folder, { bigint: true })
    if (before?.isSettled === true && before.changedAt === changedAt) return before
    return { changedAt, isSettled: now - changedAt > coarsest, ...read(folder) }
  } catch {
    return undefined // it has gone, or nobody but its owner may look
  }
}

const nextTurn = () => new Promise<void>((resume) => setImmediate(resume))

/** Links are not followed: what they lead to is found where it is. */
export const make = (root: string): Effect.Effect<Look> => {
  let seen: ReadonlyMap<string, Seen> = new Map()
  const all = async (): Promise<Look> => {
    const now = new Map<string, Seen>()
    const found: Array<Marked> = []
    const waiting = [root]
    let at = 0
    for (; at < waiting.length && at < mostFolders; at++) {
      if (at > 0 && at % foldersAtOnce === 0) await nextTurn()
      const folder = waiting[at] ?? root
      const one = look(folder, seen.get(folder))
      if (one === undefined) continue
      now.set(folder, one)
      found.push(...one.found)
      waiting.push(...one.folders)
    }
    seen = now
    return { found, isPartial: at < waiting.length }
  }
  return Effect.promise(all)
}
