/** The folders of a project, from the working folder up to the root of its repository. */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as FolderEntries from "../../machine/files/folders/FolderEntries.ts"

export interface ProjectFolders {
  /** The working folder first, the root last. Only the working folder where there is no repository. */
  readonly upward: ReadonlyArray<string>
  readonly root: string
  readonly hasRepository: boolean
}

/** Deeper than projects are. */
const mostLevels = 64

/**
 * A repository above the working folder counts only if it belongs to the same user: anybody can put one, with
 * instructions in it, into a folder that all users share.
 */
export const find = Effect.fnUntraced(function* (files: Pick<Files, "state">, cwd: string) {
  const upward: Array<string> = []
  for (let folder = cwd; upward.length < mostLevels; folder = LocalPaths.dirname(folder)) {
    if (upward.at(-1) === folder) break
    upward.push(folder)
    const state = yield* Effect.orElseSucceed(files.state(LocalPaths.join(folder, ".git")), () => undefined)
    if (state === undefined) continue
    if (!(yield* FolderEntries.isOurs(folder, cwd))) break
    return { upward, root: folder, hasRepository: true } satisfies ProjectFolders
  }
  return { upward: [cwd], root: cwd, hasRepository: false } satisfies ProjectFolders
})
