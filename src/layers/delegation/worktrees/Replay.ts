/** A new worktree that has the staged, unstaged and untracked files of the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { listed } from "../../../domain/subagents/ResultText.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as Claim from "./Claim.ts"
import type { Call } from "./Git.ts"
import type * as Repository from "./Repository.ts"
import type * as Shield from "./Shield.ts"
import * as Snapshot from "./Snapshot.ts"
import * as Survey from "./Survey.ts"

/**
 * The repository of a worktree, which belongs to the agent that works there: branches, stash, settings and objects that it makes
 * go away with it. A linked worktree of git would share all of them with the user. It reads the objects of the user where they are,
 * and begins with the same branches, tags and settings.
 */
interface Start {
  /** The commit that HEAD is at; undefined before the first one. */
  readonly commit: string | undefined
  /** Objects of files that the user has not committed. */
  readonly objects: string
  readonly manners: Shield.Manners
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`

/** The settings of the user, which the task may change, and over them how this repository keeps its files. */
const configOf = ({ common }: Repository.Repository, path: string, { configuration, isElsewhere }: Shield.Manners) =>
  [
    `[core]\n\thooksPath = ${quoted(LocalPaths.join(common, "hooks"))}`,
    configuration,
    "[core]\n\tbare = false",
    // Both would leave files or processes behind for a folder that is soon gone.
    "\tfsmonitor = false\n\tsplitIndex = false",
    ...(isElsewhere ? [`\tworktree = ${quoted(path)}`] : []),
    "[extensions]\n\tworktreeConfig = false",
    ...(/refstorage/i.test(configuration) ? ["\trefStorage = files"] : []),
    ""
  ].join("\n")

/** The others belong to one worktree. */
const isShared = (line: string) => line !== "" && !/^\S+ refs\/(stash$|bisect\/|worktree\/|rewritten\/)/.test(line)

/** What a repository says beside its settings, by the folder that has it. */
const copied = ({ common, dir }: Repository.Repository) => [
  [common, "info/exclude"],
  [common, "info/attributes"],
  [common, "shallow"],
  [dir, "info/sparse-checkout"]
]

/** Returns the folder of git. */
const makeRepository = Effect.fnUntraced(function* (
  { files, git }: Claim.Means,
  repository: Repository.Repository,
  { path }: Claim.ClaimedFolder,
  start: Start
) {
  const own = LocalPaths.join(path, ".git")
  for (const name of ["objects/info", "refs", "info"])
    yield* Effect.mapError(files.makeFolder(LocalPaths.join(own, name)), Snapshot.failed)
  const put = (name: string, text: string) =>
    Snapshot.write(files, LocalPaths.join(own, name), new TextEncoder().encode(text))
  const refs = yield* git.text({ cwd: repository.root }, "for-each-ref", "--format=%(objectname) %(refname)")
  yield* put("packed-refs", `${refs.split("\n").filter(isShared).join("\n")}\n`.trimStart())
  yield* put("objects/info/alternates", `${repository.objects}\n${start.objects}\n`)
  yield* put("config", configOf(repository, path, start.manners))
  for (const [from = "", name = ""] of copied(repository))
    yield* Effect.mapError(files.copyFile(LocalPaths.join(from, name), LocalPaths.join(own, name)), Snapshot.failed)
  if (start.commit !== undefined) yield* put("HEAD", `${start.commit}\n`)
  else
    yield* Effect.mapError(
      files.copyFile(LocalPaths.join(repository.dir, "HEAD"), LocalPaths.join(own, "HEAD")),
      Snapshot.failed
    )
  return own
})

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
  const [state, dir] = yield* Effect.all([look, makeRepository(means, repository, claimed, start)], {
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
