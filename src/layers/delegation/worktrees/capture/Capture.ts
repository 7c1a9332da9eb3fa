/** What an agent has changed in its worktree: as a patch, or as a commit on a branch. */
import * as Effect from "effect/Effect"
import { defined } from "../../../../domain/Values.ts"
import type { Delta, WorktreeFailed, Withheld } from "../../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { ClaimedFolder, Means } from "../Claim.ts"
import * as Diff from "../Diff.ts"
import { type Call, inPieces } from "../Git.ts"
import type { Replayed } from "../Replay.ts"
import * as Shield from "../Shield.ts"
import * as Snapshot from "../Snapshot.ts"
import * as Survey from "../Survey.ts"
import * as Uncommitted from "./Uncommitted.ts"
import * as WholeTree from "./WholeTree.ts"

/** Adds what stays out of a patch because it is too large. Files get a second name, which lasts longer than the worktree. */
const withTooLarge = (
  { bounds, files }: Means,
  { path: root }: ClaimedFolder,
  undone: Withheld | undefined,
  oversized: ReadonlyArray<Survey.Oversized>
): Withheld | undefined => {
  if (oversized.length === 0) return undone
  const keep = Effect.fnUntraced(function* (folder: string, one: Survey.Oversized) {
    const path = Survey.pathOf(one)
    if (one.files !== undefined) return [path]
    const named = yield* Effect.either(
      files.nameAgain(LocalPaths.join(root, path), LocalPaths.join(folder, "task", path))
    )
    return named._tag === "Right" ? [] : [path]
  })
  return {
    leftOut: undone?.leftOut ?? [],
    replaced: undone?.replaced ?? [],
    tooLarge: { paths: oversized.map(Survey.label), most: Survey.words(bounds) },
    copyTo: Effect.fnUntraced(function* (folder: string) {
      if (undone !== undefined) yield* undone.copyTo(folder)
      return (yield* Effect.forEach(oversized, (one) => keep(folder, one))).flat()
    })
  }
}

/** Submodules are empty folders in a new worktree. */
const usedSubmodules = ({ files }: Means, { claimed, submodules }: Replayed) =>
  Effect.filter(submodules, (path) =>
    Effect.map(
      Effect.orElseSucceed(files.list(LocalPaths.join(claimed.path, path)), () => []),
      ({ length }) => length > 0
    )
  )

export const delta = (means: Means, replayed: Replayed) => {
  const { files } = means
  const { baseline, index, inside, claimed, repository } = replayed
  let count = 0
  return Effect.gen(function* () {
    const { config, isSparse } = yield* Shield.manners(means, repository, claimed.scratch)
    const start = Effect.gen(function* () {
      const copy = LocalPaths.join(claimed.scratch, `capture-${count++}.index`)
      yield* Effect.mapError(files.copyFile(index, copy), Snapshot.failed)
      return { index: copy, call: Snapshot.withIndex({ ...inside, config: { ...inside.config, ...config } }, copy) }
    })
    const { oversized, problems, ...task } = yield* WholeTree.make(means, replayed, { isSparse, start })
    const { call } = task
    const { tree, withheld: undone } = yield* Uncommitted.guard(means, replayed, task)
    const changes = [...(yield* Diff.changes(means.git, call, [baseline, tree]))]
    const isRepository = ([, { after }]: (typeof changes)[number]) => after?.mode === Diff.gitlink
    const file = LocalPaths.join(claimed.scratch, "capture.patch")
    const hasChanges = yield* Diff.write(means, call, [baseline, tree], file)
    const patch = hasChanges ? yield* Effect.mapError(files.read(file), Snapshot.failed) : new Uint8Array(0)
    const withheld = withTooLarge(means, claimed, undone, oversized)
    const used = yield* usedSubmodules(means, replayed)
    return {
      isEmpty: !hasChanges,
      patch,
      files: changes.filter((change) => !isRepository(change)).map(([path]) => path),
      omitted: [
        ...used.map((path) => `${path} is a submodule.`),
        // Paths that have become repositories, or are no longer the same one.
        ...changes.filter(isRepository).map(([path]) => `${path} is a repository of its own.`),
        ...problems
      ],
      ...defined({ withheld })
    } satisfies Delta
  })
}

/** Such a file would be committed as it is on disk: a secret in plain text, or a large file that belongs elsewhere. */
const refuseFiltered = Effect.fnUntraced(function* (
  means: Means,
  { inside, claimed, repository }: Replayed,
  changed: Delta
) {
  const { git } = means
  const { filters } = yield* Shield.manners(means, repository, claimed.scratch)
  if (filters.size === 0) return
  for (const names of inPieces(changed.files)) {
    const records = (yield* git.text(inside, "check-attr", "-z", "filter", "--", ...names)).split("\0")
    for (let at = 0; at + 2 < records.length; at += 3)
      if (filters.has(records[at + 2] ?? ""))
        return yield* Snapshot.conflict({
          message: `${records[at]} needs the filter ${records[at + 2]}, and filters of a repository are not run.`
        })
  }
})

const mostNames = 100

/** Gives the commit a branch of this name, with a number if there is one already. */
const nameIt = Effect.fnUntraced(function* ({ git }: Means, call: Call, branch: string, commit: string) {
  for (let n = 1; n < mostNames; n++) {
    const name = n === 1 ? branch : `${branch}-${n}`
    const made = yield* Effect.either(git.text(call, "update-ref", `refs/heads/${name}`, commit, ""))
    if (made._tag === "Right") return name
    const { exitCode } = yield* git.end(call, "rev-parse", "-q", "--verify", `refs/heads/${name}`)
    if (exitCode !== 0) return yield* made.left
  }
  return yield* Snapshot.failed({ message: `There are ${mostNames} branches of the name ${branch}.` })
})

/**
 * The patch on top of HEAD. Where the user has uncommitted changes, it is fitted in a store of its own first: only what the
 * commit consists of reaches the repository.
 */
const fitted = Effect.fnUntraced(function* (means: Means, { baseline, inside, claimed }: Replayed, head: string) {
  const { git } = means
  const patch = LocalPaths.join(claimed.scratch, "capture.patch")
  if ((yield* git.text(inside, "rev-parse", `${head}^{tree}`)) === baseline) return patch
  const apart = Snapshot.withIndex(inside, LocalPaths.join(claimed.scratch, "fitting.index"))
  yield* git.text(apart, "read-tree", head)
  const tree = yield* Snapshot.patched(git, apart, patch)
  const own = LocalPaths.join(claimed.scratch, "fitted.patch")
  yield* Diff.write(means, apart, [head, tree], own)
  return own
})

export const commitTo = (means: Means, replayed: Replayed, capture: Effect.Effect<Delta, WorktreeFailed>) =>
  Effect.fnUntraced(function* (branch: string, message: string) {
    const { files, git } = means
    const { head, inside, claimed } = replayed
    if (head === undefined) return yield* Snapshot.failed({ message: "The repository has no commits yet." })
    const changed = yield* capture
    yield* refuseFiltered(means, replayed, changed)
    const patch = yield* fitted(means, replayed, head)
    const { GIT_OBJECT_DIRECTORY: _, ...env } = inside.env ?? {}
    const call = Snapshot.withIndex({ ...inside, env }, LocalPaths.join(claimed.scratch, "commit.index"))
    yield* git.text(call, "read-tree", head)
    if (!changed.isEmpty) yield* git.text(call, "apply", "--cached", "--binary", "--whitespace=nowarn", patch)
    const tree = yield* git.text(call, "write-tree", "--missing-ok")
    const file = LocalPaths.join(claimed.scratch, "message")
    yield* Snapshot.write(files, file, new TextEncoder().encode(`${message.trim()}\n`))
    const commit = yield* git.text(call, "commit-tree", "-p", head, "-F", file, tree)
    return yield* nameIt(means, call, branch, commit)
  })
