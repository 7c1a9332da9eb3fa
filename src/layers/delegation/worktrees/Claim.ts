/**
 * Folders for worktrees in a folder of heddle's own: `<folder>/<project>/<id>`, with temporary files in `<id>.scratch`. A lease
 * beside each names the process that has it, so that the next process knows what was left behind.
 */
import * as Effect from "effect/Effect"
import type { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as Lease from "../../machine/files/own/Lease.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ContentHash from "../../machine/files/folders/ContentHash.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import type { Git } from "./Git.ts"
import type { Repository } from "./Repository.ts"
import { failed } from "./Snapshot.ts"
import type { Bounds } from "./Survey.ts"

export interface Means {
  readonly git: Git
  readonly files: Files
  readonly folder: string
  /** Of what comes back from a worktree. */
  readonly bounds: Bounds
}

export interface ClaimedFolder {
  readonly path: string
  /** A folder for temporary files, which exists. */
  readonly scratch: string
}

const scratchOf = (path: string) => `${path}.scratch`

/** Recognisable for people, and different for every repository. */
const projectFolder = Effect.fnUntraced(function* ({ files, folder }: Means, { common }: Repository) {
  const real = yield* Effect.orElseSucceed(files.real(folder), () => folder)
  const isHidden = LocalPaths.basename(common) === ".git"
  const name = LocalPaths.basename(isHidden ? LocalPaths.dirname(common) : common)
  const hash = ContentHash.ofTexts([common]).slice(0, 8)
  return LocalPaths.join(real, `${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(-80)}-${hash}`)
})

/** The path of heddle's folder below the top of the repository, if it is there: agents get no copies of copies. */
export const within = Effect.fnUntraced(function* ({ files, folder }: Means, { root }: Repository) {
  const [above, real] = yield* Effect.mapError(Effect.all([files.real(root), files.real(folder)]), failed)
  const path = LocalPaths.relative(above, real)
  return path === "" || path === ".." || path.startsWith("../") || LocalPaths.isAbsolute(path) ? [] : [path]
})

/** Works on whatever a killed process has left. */
const remove = Effect.fnUntraced(function* ({ files }: Means, path: string) {
  yield* files.removeFolder(path)
  yield* files.removeFolder(scratchOf(path))
  if ((yield* Effect.orElseSucceed(files.state(path), () => undefined)) !== undefined)
    yield* Effect.logWarning(`A worktree cannot be removed: ${path}`)
})

/** An id that leads out of the folder, or that git refuses, is not kept. */
const nameOf = (id: string) => id.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "") || "task"

const mostAttempts = 1000

/** A path of its own, until the scope closes, when everything at it is removed. */
export const claim = Effect.fnUntraced(function* (means: Means, repository: Repository, id: string) {
  const { files, folder } = means
  yield* Effect.mapError(files.makeFolder(folder), failed)
  const project = yield* projectFolder(means, repository)
  const since = yield* IsoTime.now
  const attempt = (path: string) =>
    Effect.acquireRelease(
      // Another process removes the folder when it is empty.
      Effect.zipRight(files.makeFolder(project), Lease.acquire(path, since)),
      (release) =>
        remove(means, path).pipe(
          Effect.zipRight(release),
          Effect.zipRight(files.removeEmptyFolder(project)),
          Effect.zipRight(files.removeEmptyFolder(folder))
        )
    )
  let refused: WorktreeFailed = failed({ message: `There is no free name for a worktree in ${project}` })
  for (let n = 1; n <= mostAttempts; n++) {
    const path = LocalPaths.join(project, n === 1 ? nameOf(id) : `${nameOf(id)}-${n}`)
    const scratch = scratchOf(path)
    const left = yield* Effect.orElseSucceed(Effect.all([files.state(path), files.state(scratch)]), () => [])
    if (left.some((state) => state !== undefined)) continue
    const lease = yield* Effect.either(attempt(path))
    if (lease._tag === "Right") {
      yield* Effect.mapError(files.makeFolder(scratch), failed)
      return { path, scratch } satisfies ClaimedFolder
    }
    if (lease.left._tag === "LeaseHeld") continue
    refused = failed(lease.left)
    if (lease.left.code !== "ENOENT") break
  }
  return yield* refused
})

/** Lease files have drafts while they are made: `<path>.lease.1a2b3c4d.tmp`. */
const pathOf = (path: string) => path.replace(/\.(scratch|lease(\.[^/]*)?)$/, "")

/**
 * Calls `rescue` for each folder whose process has ended, and removes it; where that fails, the next sweep does it. Returns how
 * many were removed.
 */
export const sweep = Effect.fnUntraced(function* (
  means: Means,
  repository: Repository,
  rescue: (scratch: string) => Effect.Effect<void, WorktreeFailed>
) {
  const { files, folder } = means
  const project = yield* projectFolder(means, repository)
  const found = yield* Effect.orElseSucceed(files.list(project), () => [])
  const since = yield* IsoTime.now
  let removed = 0
  for (const path of new Set(found.map((entry) => pathOf(entry.path)))) {
    const lease = yield* Effect.either(Lease.acquire(path, since))
    if (lease._tag === "Left") continue
    const work = Effect.zipRight(rescue(scratchOf(path)), remove(means, path))
    if ((yield* Effect.either(Effect.ensuring(work, lease.right)))._tag === "Right") removed++
  }
  yield* files.removeEmptyFolder(project)
  yield* files.removeEmptyFolder(folder)
  return removed
})
