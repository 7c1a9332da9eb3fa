/** Whose folders are. */
import * as nodeFs from "node:fs"
import * as Effect from "effect/Effect"

const ownerOf = (path: string): number | undefined => {
  try {
    return nodeFs.statSync(path, { throwIfNoEntry: false })?.uid
  } catch {
    return undefined
  }
}

/** Whether the folder belongs to the user of this process or to the owner of `other`. True where the system has no owners. */
export const isOurs = (folder: string, other: string): Effect.Effect<boolean> =>
  Effect.sync(() => {
    if (process.getuid === undefined) return true
    const owner = ownerOf(folder)
    return owner === process.getuid() || owner === ownerOf(other)
  })
