/** All files of a worktree as a tree of git, within bounds. */
import * as Effect from "effect/Effect"
import type { WorktreeFailed } from "../../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import type { Means } from "../Claim.ts"
import { inPieces, type Call } from "../Git.ts"
import type { Replayed } from "../Replay.ts"
import * as Snapshot from "../Snapshot.ts"
import * as Survey from "../Survey.ts"

/** Ignored files that the agent has added nevertheless: its own index has them. There may be no such index. */
const forced = Effect.fnUntraced(function* ({ files, git }: Means, { dir, inside, claimed }: Replayed) {
  const own = Snapshot.withIndex(inside, LocalPaths.join(dir, "index"))
  const { exitCode, output } = yield* git.end(own, "ls-files", "-i", "-c", "-z", "--exclude-standard")
  const names = exitCode === 0 ? output.split("\0").filter((name) => name !== "") : []
  return yield* Effect.filter(names, (name) =>
    Effect.map(
      Effect.orElseSucceed(files.state(LocalPaths.join(claimed.path, name)), () => undefined),
      (state) => state === undefined || state.isFile
    )
  )
})

interface Started {
  readonly call: Call
  readonly index: string
}

interface Wanted {
  readonly isSparse: boolean
  /** A new index with the files that the worktree began with: a git that was ended may have left the lock of the last one. */
  readonly start: Effect.Effect<Started, WorktreeFailed>
}

const track = Effect.fnUntraced(function* (means: Means, replayed: Replayed, { isSparse, start }: Wanted) {
  const { bounds, files, git } = means
  const { call, index } = yield* start
  const extra = yield* forced(means, replayed)
  const list = LocalPaths.join(replayed.claimed.scratch, "capture.paths")
  const tracking = { bounds, forced: extra, isSparse, list, without: replayed.submodules }
  const { oversized, problems } = yield* Snapshot.track(git, files, call, tracking)
  const left = new Set(oversized.map(Survey.pathOf))
  for (const names of inPieces(extra.filter((name) => !left.has(name))))
    yield* git.text(call, "update-index", "--add", "--remove", "--", ...names)
  return { call, index, oversized, problems, tree: yield* git.text(call, "write-tree", "--missing-ok") }
})

/** What the agent has left behind may make them again. */
const mostRemovals = 3

/** What git would wait for goes: no patch can have it anyway. Its name is a problem. */
export const make = Effect.fnUntraced(function* (means: Means, replayed: Replayed, wanted: Wanted) {
  const { path: root } = replayed.claimed
  const removed = new Set<string>()
  const remove = Effect.flatMap(
    Survey.oddFiles(root),
    Effect.forEach((path) => {
      removed.add(LocalPaths.relative(root, path))
      return means.files.removeFolder(path)
    })
  )
  const isOdd = ({ reason }: WorktreeFailed) => reason === "odd_file"
  const tracked = yield* Survey.watched(root, track(means, replayed, wanted)).pipe(
    Effect.tapError((error) => Effect.when(remove, () => isOdd(error))),
    Effect.retry({ times: mostRemovals, while: isOdd })
  )
  const odd = [...removed].map((path) => `${path} is no regular file.`)
  return { ...tracked, problems: [...odd, ...tracked.problems] }
})
