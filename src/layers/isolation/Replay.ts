/** A new worktree that has the staged, unstaged and untracked files of the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { listed } from "../../domain/subagents/ResultText.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as Claim from "./Claim.ts"
import type { Call } from "./Git.ts"
import * as OwnRepository from "./OwnRepository.ts"
import type * as Repository from "./Repository.ts"
import type * as Shield from "./Shield.ts"
import * as Snapshot from "./Snapshot.ts"
import * as Survey from "./Survey.ts"

export interface Replayed {
  readonly repository: Repository.Repository
  readonly claimed: Claim.ClaimedFolder
  /** Undefined where the repository has no commits yet. */
  readonly head: string | undefined
  /** The tree of all files in the worktree when it was new. */
  readonly baseline: string
  /** The tree of the user's HEAD, and what was staged. */
  readonly committed: string
  readonly staged: string
  /** Its index. */
  readonly index: string
  /** git's folder for the worktree, which belongs to the agent that works there. */
  readonly dir: string
  /**
   * Reads the worktree and writes into a store of its own. It does not rely on the worktree's `.git`, which an agent may have
   * removed, or on its index.
   */
  readonly inside: Call
  readonly submodules: ReadonlyArray<string>
}

/** The commit and its tree; before the first commit, the empty tree. */
const headOf = Effect.fnUntraced(function* ({ git }: Claim.Means, { root: cwd }: Repository.Repository) {
  const { exitCode, output } = yield* git.end({ cwd }, "rev-parse", "HEAD^{commit}", "HEAD^{tree}")
  const [commit, tree = ""] = exitCode === 0 ? output.split("\n") : []
  if (commit !== undefined) return { commit, tree }
  return { commit, tree: yield* git.text({ cwd }, "hash-object", "-t", "tree", "/dev/null") }
})

/** Gives the worktree the index that the user has. */
const stage = Effect.fnUntraced(function* (
  { files, git }: Claim.Means,
  { baseline, dir, index, inside, staged }: Replayed,
  isSparse: boolean
) {
  // Without the index of the copy, git forgets what it knows about the files; with it, git reads those again that were
  // written within the last second. Only in a sparse checkout it knows what it cannot find out later.
  if (staged === baseline || isSparse)
    yield* Effect.mapError(files.copyFile(index, LocalPaths.join(dir, "index")), Snapshot.failed)
  const own = Snapshot.withIndex(inside, LocalPaths.join(dir, "index"))
  if (staged !== baseline) yield* git.text(own, "read-tree", "-m", staged)
})

export const make = Effect.fnUntraced(function* (
  means: Claim.Means,
  repository: Repository.Repository,
  claimed: Claim.ClaimedFolder,
  manners: Shield.Manners
) {
  const { files, git } = means
  const { path, scratch } = claimed
  const head = yield* headOf(means, repository)
  const store = yield* Snapshot.makeStore(files, repository.objects, scratch)
  const config = { ...store.config, ...manners.config }
  const user: Call = { cwd: repository.root, env: store.env, config }
  const look = Snapshot.take(git, files, user, {
    index: repository.index,
    copy: LocalPaths.join(scratch, "user.index"),
    isSparse: manners.isSparse,
    bounds: Survey.ofUser,
    without: yield* Claim.within(means, repository)
  })
  const start = { commit: head.commit, objects: store.folder, manners }
  const [state, dir] = yield* Effect.all([look, OwnRepository.make(means, repository, claimed, start)], {
    concurrency: "unbounded"
  })
  if (state.oversized.length > 0)
    yield* Effect.logWarning(
      `A worktree has ${Survey.words(Survey.ofUser)} that are not committed. Left out: ${listed(state.oversized.map(Survey.label))}`
    )
  for (const problem of state.problems) yield* Effect.logWarning(`A worktree has not all files: ${problem}`)
  const inside: Call = { cwd: path, env: { ...store.env, GIT_DIR: repository.dir, GIT_WORK_TREE: path }, config }
  const replayed: Replayed = {
    repository,
    claimed,
    head: head.commit,
    committed: head.tree,
    staged: Option.getOrElse(state.staged, () => state.working),
    baseline: state.working,
    index: LocalPaths.join(scratch, "baseline.index"),
    dir,
    inside,
    submodules: state.submodules
  }
  yield* git.text(Snapshot.withIndex(inside, replayed.index), "read-tree", "--reset", "-u", state.working)
  yield* stage(means, replayed, manners.isSparse)
  return replayed
})
