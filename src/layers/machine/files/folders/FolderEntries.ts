/** Reads folders that may have come with a project: never more names than asked for, however many there are. */
import * as nodeFs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Attempt from "../../engine/Attempt.ts"
import { type FileRefused, oddKind, refused } from "../FileErrors.ts"

export interface FolderEntry {
  readonly name: string
  readonly path: string
  /** What a link leads to counts. A link that leads nowhere is `odd`. */
  readonly kind: "file" | "folder" | "odd"
  readonly isLink: boolean
}

export interface FolderContent {
  /** By name. */
  readonly entries: ReadonlyArray<FolderEntry>
  /** There are more than were read. */
  readonly hasMore: boolean
}

const kindOf = (stats: nodeFs.Stats | undefined): FolderEntry["kind"] => {
  if (stats === undefined || oddKind(stats) !== undefined) return "odd"
  return stats.isDirectory() ? "folder" : "file"
}

/** A link to itself leads nowhere, too. */
const look = (path: string) => Attempt.orUndefined(() => nodeFs.statSync(path, { throwIfNoEntry: false }))

const entryOf = (folder: string, entry: nodeFs.Dirent): FolderEntry => {
  const path = join(folder, entry.name)
  const isLink = entry.isSymbolicLink()
  if (entry.isFile()) return { name: entry.name, path, kind: "file", isLink }
  if (entry.isDirectory()) return { name: entry.name, path, kind: "folder", isLink }
  return { name: entry.name, path, kind: kindOf(look(path)), isLink }
}

const byName = (a: FolderEntry, b: FolderEntry) => (a.name < b.name ? -1 : 1)

const readSome = (folder: string, most: number): FolderContent => {
  const open = nodeFs.opendirSync(folder)
  try {
    const entries: Array<FolderEntry> = []
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (entries.length === most) return { entries: entries.toSorted(byName), hasMore: true }
      entries.push(entryOf(folder, entry))
    }
    return { entries: entries.toSorted(byName), hasMore: false }
  } finally {
    open.closeSync()
  }
}

export const read = (folder: string, most: number): Effect.Effect<FolderContent, FileRefused> =>
  Effect.try({ try: () => readSome(folder, most), catch: refused(folder) })

/** Whether the folder belongs to the user of this process or to the owner of `other`. True where the system has no owners. */
export const isOurs = (folder: string, other: string): Effect.Effect<boolean> =>
  Effect.sync(() => {
    if (process.getuid === undefined) return true
    const owner = look(folder)?.uid
    return owner === process.getuid() || owner === look(other)?.uid
  })
