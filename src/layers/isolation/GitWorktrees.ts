/** Worktrees of git for isolated subagents, in a folder of heddle's own. Each has a lease beside it that names its process. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Processes } from "../../services/machine/Processes.ts"
import { type Delta, type Worktree, WorktreeFailed, Worktrees } from "../../services/delegation/Worktrees.ts"
import * as Lease from "../platform/files/Lease.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import { type Files, OwnFiles } from "../platform/files/OwnFiles.ts"
import * as IsoTime from "../platform/IsoTime.ts"
import * as Git from "./Git.ts"
import * as Merge from "./Merge.ts"
import * as Snapshot from "./Snapshot.ts"

export interface WorktreeOptions {
  readonly folder: string
}

interface Repository {
  readonly root: string
  /** The folder that all worktrees of the repository share. */
  readonly common: string
}

interface Means {
  readonly git: Git.Git
  readonly files: Files
  readonly folder: string
}

const failed = ({ message }: { readonly message: string }) => new WorktreeFailed({ reason: "git", message })

const locate = Effect.fnUntraced(function* ({ git }: Means, cwd: string) {
  const root = yield* Effect.mapError(
    git.text({ cwd }, "rev-parse", "--show-toplevel"),
    ({ message }) => new WorktreeFailed({ reason: "not_a_repository", message })
  )
  if (root === "")
    return yield* new WorktreeFailed({ reason: "not_a_repository", message: `${cwd} has no files of git` })
  const common = yield* git.text({ cwd }, "rev-parse", "--path-format=absolute", "--git-common-dir")
  const repository: Repository = { root, common }
  return repository
})

/** A name for the folder of a project that people recognise. */
const projectFolder = ({ folder }: Means, { root }: Repository) =>
  LocalPaths.join(folder, root.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(-120))

/** Deletes the copy and what git has noted about it. Works on whatever a killed process has left. */
const remove = Effect.fnUntraced(function* ({ files }: Means, { common }: Repository, path: string) {
  yield* files.removeFolder(path)
  yield* files.removeFolder(`${path}.scratch`)
  const notes = yield* Effect.orElseSucceed(files.list(LocalPaths.join(common, "worktrees")), () => [])
  for (const note of notes) {
    const said = yield* Effect.option(files.read(LocalPaths.join(note.path, "gitdir")))
    const target = said._tag === "Some" ? new TextDecoder().decode(said.value).trim() : undefined
    const isOurs = target === LocalPaths.join(path, ".git")
    // A `git worktree add` that was killed early has not said where it belongs; its name is that of the copy.
    const isTorn = target === undefined && note.name === LocalPaths.basename(path)
    if (isOurs || isTorn) yield* files.removeFolder(note.path)
  }
})

/** A path that nobody has, leased to this process until the scope closes, when everything at it is removed. */
const claim = Effect.fnUntraced(function* (means: Means, repository: Repository, id: string) {
  const project = projectFolder(means, repository)
  yield* Effect.mapError(means.files.makeFolder(project), failed)
  const since = yield* IsoTime.now
  for (let n = 1; ; n++) {
    const path = LocalPaths.join(project, n === 1 ? id : `${id}-${n}`)
    const isTaken = (yield* Effect.orElseSucceed(means.files.state(path), () => undefined)) !== undefined
    if (isTaken) continue
    const lease = yield* Effect.either(
      Effect.acquireRelease(Lease.acquire(path, since), (release) =>
        Effect.zipRight(remove(means, repository, path), release)
      )
    )
    if (lease._tag === "Right") return path
    if (lease.left._tag !== "LeaseHeld") return yield* failed(lease.left)
  }
})

/** The commit that the copy stands on; one of the empty tree where the repository has none yet. */
const headOf = Effect.fnUntraced(function* ({ git }: Means, { root: cwd }: Repository) {
  const head = yield* Effect.option(git.text({ cwd }, "rev-parse", "-q", "--verify", "HEAD^{commit}"))
  if (head._tag === "Some") return head.value
  const empty = yield* git.text({ cwd }, "hash-object", "-t", "tree", "-w", "/dev/null")
  return yield* git.text({ cwd }, "commit-tree", "-m", "No commits yet", empty)
})

/** Puts the staged, unstaged and untracked state of the folder into a new worktree. */
const replay = Effect.fnUntraced(function* (means: Means, repository: Repository, path: string) {
  const { files, git } = means
  const at: Git.Call = { cwd: repository.root }
  const scratch = `${path}.scratch`
  yield* Effect.mapError(files.makeFolder(scratch), failed)
  const state = yield* Snapshot.take(git, files, at, LocalPaths.join(scratch, "user"))
  const head = yield* headOf(means, repository)
  yield* git.bytes(at, "worktree", "add", "--detach", "--no-checkout", path, head)
  const dir = yield* git.text({ cwd: path }, "rev-parse", "--absolute-git-dir")
  // Said outright, so that a subagent that removes its `.git` does not lead us to another repository.
  const inside: Git.Call = { cwd: path, env: { GIT_DIR: dir, GIT_WORK_TREE: path } }
  yield* git.bytes(inside, "read-tree", "--reset", "-u", state.working)
  yield* git.bytes(inside, "read-tree", "-m", state.staged)
  return { head, inside, scratch, baseline: state.working }
})

const noChanges: Delta = { isEmpty: true, patch: new Uint8Array(0), files: [] }

const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"]

type Replayed = Effect.Effect.Success<ReturnType<typeof replay>>

const makeCapture = ({ files, git }: Means, { baseline, inside, scratch }: Replayed) => {
  let count = 0
  return Effect.gen(function* () {
    const { working } = yield* Snapshot.take(git, files, inside, LocalPaths.join(scratch, `capture-${count++}`))
    if (working === baseline) return noChanges
    const between = ["--no-renames", "--ignore-submodules=none", baseline, working]
    const patch = yield* git.bytes(inside, "diff-tree", "-r", "-p", "--binary", "--full-index", ...plain, ...between)
    const names = yield* git.text(inside, "diff-tree", "-r", "-z", "--name-only", ...between)
    const delta: Delta = { isEmpty: false, patch, files: names.split("\0").filter((name) => name !== "") }
    return delta
  })
}

const open = Effect.fnUntraced(function* (
  means: Means,
  adding: Effect.Semaphore,
  { cwd, id }: { readonly cwd: string; readonly id: string }
): Effect.fn.Return<Worktree, WorktreeFailed, Scope.Scope> {
  const { files, git } = means
  const repository = yield* locate(means, cwd)
  const path = yield* claim(means, repository, id)
  const replayed = yield* adding.withPermits(1)(replay(means, repository, path))
  const capture = makeCapture(means, replayed)
  const below = LocalPaths.relative(
    yield* Effect.mapError(files.real(repository.root), failed),
    yield* Effect.mapError(files.real(cwd), failed)
  )
  const within = LocalPaths.join(path, below)
  yield* Effect.mapError(files.makeFolder(within), failed)
  return {
    root: path,
    cwd: within,
    capture,
    commitTo: Effect.fnUntraced(function* (branch, message) {
      const { patch } = yield* capture
      const file = LocalPaths.join(replayed.scratch, "commit.patch")
      yield* Snapshot.write(files, file, patch)
      const index = LocalPaths.join(replayed.scratch, "commit.index")
      const apart: Git.Call = { cwd: path, env: { ...replayed.inside.env, GIT_INDEX_FILE: index } }
      yield* git.bytes(apart, "read-tree", replayed.head)
      yield* Effect.mapError(
        git.bytes(apart, "apply", "--cached", "--3way", "--binary", "--whitespace=nowarn", file),
        ({ message: why }) => new WorktreeFailed({ reason: "conflict", message: why })
      )
      const tree = yield* git.text(apart, "write-tree")
      const commit = yield* git.text(apart, "commit-tree", "-p", replayed.head, "-m", message, tree)
      yield* git.bytes(apart, "update-ref", `refs/heads/${branch}`, commit, "")
    })
  }
})

/** Leases of processes that live are left alone. */
const sweep = Effect.fnUntraced(function* (means: Means, cwd: string) {
  const repository = yield* locate(means, cwd)
  const found = yield* Effect.orElseSucceed(means.files.list(projectFolder(means, repository)), () => [])
  const paths = new Set(found.map(({ path }) => path.replace(/\.(lease|scratch)$/, "")))
  const since = yield* IsoTime.now
  let removed = 0
  for (const path of paths) {
    const lease = yield* Effect.either(Lease.acquire(path, since))
    if (lease._tag === "Left") continue
    yield* Effect.zipRight(remove(means, repository, path), lease.right)
    removed++
  }
  return removed
})

export const make = Effect.fnUntraced(function* ({ folder }: WorktreeOptions) {
  const means: Means = { git: Git.make(yield* Processes), files: yield* OwnFiles, folder }
  /** `git worktree add` locks what all worktrees of a repository share. */
  const adding = Effect.unsafeMakeSemaphore(1)
  const scratched = <A>(cwd: string, use: (root: string, file: string) => Effect.Effect<A, WorktreeFailed>) =>
    Effect.flatMap(locate(means, cwd), ({ root }) =>
      Effect.acquireUseRelease(
        Effect.mapError(means.files.temporaryFolder, failed),
        (scratch) => use(root, LocalPaths.join(scratch, "changes.patch")),
        means.files.removeFolder
      )
    )
  return Worktrees.of({
    check: (cwd) => Effect.asVoid(locate(means, cwd)),
    open: (request) => open(means, adding, request),
    apply: (cwd, patch) =>
      patch.length === 0
        ? Effect.void
        : scratched(cwd, (root, file) =>
            Effect.zipRight(Snapshot.write(means.files, file, patch), Merge.apply(means.git, { cwd: root }, file))
          ),
    mergeBranches: (cwd, branches) =>
      Effect.flatMap(locate(means, cwd), ({ root }) => Merge.branches(means.git, { cwd: root }, branches)),
    sweep: (cwd) => Effect.orElseSucceed(sweep(means, cwd), () => 0)
  })
})

export const layer = (options: WorktreeOptions) => Layer.effect(Worktrees, make(options))
