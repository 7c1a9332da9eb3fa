/** The repository that a folder is in. */
import * as Effect from "effect/Effect"
import { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as GitFolder from "../../workspace/context/GitFolder.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ProjectFolders from "../../workspace/context/ProjectFolders.ts"
import type { Git } from "./Git.ts"

/** All paths are without links. */
export interface Repository extends GitFolder.GitFolder {
  /** The top folder of the files. */
  readonly root: string
  readonly index: string
  readonly objects: string
}

const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)

/** Found without git, which is not to run with the configuration of the repository. */
export const locate = Effect.fnUntraced(function* (files: Files, cwd: string) {
  const none = new WorktreeFailed({ reason: "not_a_repository", message: `${cwd} has no files of git` })
  const project = yield* ProjectFolders.find(files, cwd)
  const folder = project.hasRepository ? yield* GitFolder.find(files, project.root) : undefined
  if (folder === undefined) return yield* none
  const [root, below] = yield* Effect.mapError(Effect.all([files.real(project.root), files.real(cwd)]), () => none)
  if (isIn(folder.dir, below) || isIn(folder.common, below)) return yield* none
  return {
    ...folder,
    root,
    index: LocalPaths.join(folder.dir, "index"),
    objects: LocalPaths.join(folder.common, "objects")
  } satisfies Repository
})

/** An older git ignores the settings that keep programs from running. */
const [oldestMajor, oldestMinor] = [2, 32]

export const checkVersion = Effect.fnUntraced(function* (git: Git) {
  const version = yield* git.text({ cwd: LocalPaths.resolve("/") }, "version")
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  const isNew = Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor)
  if (isNew) return
  return yield* new WorktreeFailed({ reason: "git", message: `Worktrees need git 2.32 or later; this is ${version}.` })
})
