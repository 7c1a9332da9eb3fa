/** A new worktree that has the staged, unstaged and untracked files of the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as Claim from "./Claim.ts"
import type { Call } from "./Git.ts"
import type * as Repository from "./Repository.ts"
import type * as Shield from "./Shield.ts"
import * as Snapshot from "./Snapshot.ts"

export interface Replayed {
  readonly repository: Repository.Repository
  readonly place: Claim.Place
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

/** The commit of the empty tree that worktrees of a repository without commits stand on; always the same one. */
const emptyCommit = Effect.fnUntraced(function* ({ git }: Claim.Means, { root: cwd }: Repository.Repository) {
  const then = "@0 +0000"
  const env = { GIT_AUTHOR_DATE: then, GIT_COMMITTER_DATE: then }
  const tree = yield* git.text({ cwd }, "hash-object", "-t", "tree", "-w", "/dev/null")
  return yield* git.text({ cwd, env }, "commit-tree", "-m", "No commits yet", tree)
})

const add = Effect.fnUntraced(function* (
  means: Claim.Means,
  { common, root: cwd }: Repository.Repository,
  path: string,
  at: string
) {
  const { adding, files, git } = means
  const once = Effect.zipRight(
    Effect.mapError(files.makeFolder(LocalPaths.join(common, "worktrees")), Snapshot.failed),
    git.text({ cwd }, "worktree", "add", "--detach", "--no-checkout", path, at)
  )
  // Once more: another process may have removed the folder of git's notes, which was empty.
  yield* adding.withPermits(1)(Effect.orElse(once, () => once))
  const link = LocalPaths.join(path, ".git")
  const said = yield* Effect.mapError(files.read(link), Snapshot.failed)
  const named = /^gitdir: (.+)$/m.exec(new TextDecoder().decode(said))?.[1] ?? ""
  const dir = yield* Effect.mapError(files.real(LocalPaths.resolve(path, named)), Snapshot.failed)
  // git has written the path through the links of the shield, which the agent's own calls are not to need.
  yield* Snapshot.write(files, link, new TextEncoder().encode(`gitdir: ${dir}\n`))
  return dir
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
  const own: Call = { ...inside, env: { ...inside.env, GIT_DIR: dir } }
  if (staged !== baseline) yield* git.text(own, "read-tree", "-m", staged)
})

export const make = Effect.fnUntraced(function* (
  means: Claim.Means,
  repository: Repository.Repository,
  place: Claim.Place,
  manners: Shield.Manners
) {
  const { files, git } = means
  const { path, scratch } = place
  const head = yield* headOf(means, repository)
  const store = yield* Snapshot.makeStore(files, repository.objects, scratch)
  const config = { ...store.config, ...manners.config }
  const user: Call = { cwd: repository.root, env: store.env, config }
  const look = Snapshot.take(git, files, user, {
    index: repository.index,
    copy: LocalPaths.join(scratch, "user.index"),
    isSparse: manners.isSparse,
    without: yield* Claim.within(means, repository)
  })
  const at = head.commit === undefined ? emptyCommit(means, repository) : Effect.succeed(head.commit)
  const [state, dir] = yield* Effect.all([look, Effect.flatMap(at, (commit) => add(means, repository, path, commit))], {
    concurrency: "unbounded"
  })
  for (const problem of state.problems) yield* Effect.logWarning(`A worktree has not all files: ${problem}`)
  const inside: Call = { cwd: path, env: { ...store.env, GIT_DIR: repository.dir, GIT_WORK_TREE: path }, config }
  const replayed: Replayed = {
    repository,
    place,
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
  if (manners.ofWorktree !== undefined)
    yield* Snapshot.write(files, LocalPaths.join(dir, "config.worktree"), new TextEncoder().encode(manners.ofWorktree))
  yield* stage(means, replayed, manners.isSparse)
  return replayed
})
