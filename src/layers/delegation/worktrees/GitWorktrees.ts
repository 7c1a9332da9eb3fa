/** Worktrees of git, in a folder of heddle's own. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Processes } from "../../../services/machine/Processes.ts"
import { type Worktree, WorktreeFailed, Worktrees } from "../../../services/delegation/Worktrees.ts"
import * as Lease from "../../machine/files/own/Lease.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import { OwnFiles } from "../../machine/files/own/OwnFiles.ts"
import * as Capture from "./capture/Capture.ts"
import * as IsoTime from "../../machine/engine/IsoTime.ts"
import * as Claim from "./Claim.ts"
import * as Git from "./Git.ts"
import * as Merge from "./Merge.ts"
import * as Replay from "./Replay.ts"
import * as Repository from "./Repository.ts"
import * as Shield from "./Shield.ts"
import * as Snapshot from "./Snapshot.ts"
import * as Survey from "./Survey.ts"
import * as TakeOver from "./TakeOver.ts"

const betweenLooks = "20 millis"
/** About a minute. */
const mostLooks = 3000

const busy = ({ owner: { host, pid, since } }: Lease.LeaseHeld) =>
  new WorktreeFailed({
    reason: "busy",
    message: `Process ${pid} on ${host} has been changing the files of this repository since ${since}. Try again when it is done.`
  })

/**
 * One process at a time changes the files of a repository, whichever agent folder it has: the lock lies in the repository. It
 * names its process, so it is taken over when that has ended, also by `kill -9`. Waiting can be interrupted, the work cannot be
 * while it has the lock, unless it says so itself.
 */
const holdLock = <A, E, R>({ common }: Repository.Repository, work: Effect.Effect<A, E, R>) => {
  const once = Effect.flatMap(IsoTime.now, (since) => Lease.acquire(LocalPaths.join(common, "heddle"), since))
  const acquire = once.pipe(
    Effect.tapErrorTag("LeaseHeld", () => Effect.interruptible(Effect.sleep(betweenLooks))),
    Effect.retry({ times: mostLooks, while: ({ _tag }) => _tag === "LeaseHeld" }),
    Effect.catchTags({ LeaseHeld: busy, FileRefused: Snapshot.failed })
  )
  return Effect.acquireUseRelease(
    acquire,
    () => work,
    (release) => release
  )
}

export interface WorktreeOptions {
  /** Where worktrees are while they are used; a folder for this alone. */
  readonly folder: string
  /** How much comes back from a worktree at most, and how long that may take. */
  readonly bounds?: Partial<Bounds>
}

export interface Bounds extends Survey.Bounds {
  readonly time: Duration.DurationInput
}

export const defaultBounds: Bounds = { largestFile: 2 ** 25, mostFiles: 20_000, mostBytes: 2 ** 26, time: "2 minutes" }

/** git reads and writes the whole folder of the user, which may lie on a slow disk. */
const openingTime = "10 minutes"

const inTime = <A, R>(time: Duration.DurationInput, what: string, work: Effect.Effect<A, WorktreeFailed, R>) =>
  Effect.timeoutFail(work, {
    duration: time,
    onTimeout: () =>
      new WorktreeFailed({
        reason: "slow",
        message: `${what} took more than ${Duration.format(time)} and was given up.`
      })
  })

/** More at once only wait for the disk. */
const mostReplays = 4

/** A folder for work on the repository that the folder is in, and git for it, until the scope closes. */
const enter = Effect.fnUntraced(function* (given: Claim.Means, cwd: string, id: string) {
  const repository = yield* Repository.locate(given.files, cwd)
  const claimed = yield* Claim.claim(given, repository, id)
  const means: Claim.Means = { ...given, git: yield* Shield.make(given, repository, claimed.scratch) }
  return { means, repository, claimed, manners: yield* Shield.manners(means, repository, claimed.scratch) }
})

const open = Effect.fnUntraced(function* (
  given: Claim.Means,
  { cwd, id }: { readonly cwd: string; readonly id: string },
  time: Duration.DurationInput
): Effect.fn.Return<Worktree, WorktreeFailed, Scope.Scope> {
  const { manners, means, claimed, repository } = yield* enter(given, cwd, id)
  const { files } = means
  const replayed = yield* inTime(openingTime, "Making the worktree", Replay.make(means, repository, claimed, manners))
  const [root, folder] = yield* Effect.mapError(
    Effect.all([files.real(repository.root), files.real(cwd)]),
    Snapshot.failed
  )
  const within = LocalPaths.join(claimed.path, LocalPaths.relative(root, folder))
  yield* Effect.mapError(files.makeFolder(within), Snapshot.failed)
  const capture = inTime(time, "Taking the changes of the task over", Capture.delta(means, replayed))
  return { root: claimed.path, cwd: within, capture, commitTo: Capture.commitTo(means, replayed, capture) }
})

const apply = Effect.fnUntraced(function* (given: Claim.Means, cwd: string, patch: Uint8Array) {
  const { manners, means, claimed, repository } = yield* enter(given, cwd, "apply")
  const { files, git } = means
  const { config } = manners
  const { scratch } = claimed
  yield* Snapshot.write(files, TakeOver.patchIn(scratch), patch)
  const call: Git.Call = { cwd: repository.root, config }
  yield* holdLock(repository, Effect.asVoid(TakeOver.apply(git, files, call, { scratch })))
}, Effect.scoped)

const mergeBranches = Effect.fnUntraced(function* (given: Claim.Means, cwd: string, names: ReadonlyArray<string>) {
  const { manners, means, claimed, repository } = yield* enter(given, cwd, "merge")
  const store = yield* Snapshot.makeStore(means.files, repository.objects, claimed.scratch)
  const call: Git.Call = { cwd: repository.root, config: manners.config }
  const apart: Git.Call = { ...call, env: store.env, config: { ...manners.config, ...store.config } }
  const work = { means, repository, claimed, call, apart }
  const without = yield* Claim.within(means, repository)
  return yield* holdLock(repository, Merge.branches(work, manners, without, names))
}, Effect.scoped)

const sweep = Effect.fnUntraced(function* (means: Claim.Means, cwd: string) {
  const { files, folder } = means
  const repository = yield* Repository.locate(files, cwd)
  const rescue = Effect.fnUntraced(function* (scratch: string) {
    if (!(yield* TakeOver.isUnfinished(files, scratch))) return
    const enterAt = Effect.fnUntraced(function* (root: string) {
      const found = yield* Repository.locate(files, root)
      const git = yield* Shield.make(means, found, scratch)
      const { config } = yield* Shield.manners({ ...means, git }, found, scratch)
      return { git, config }
    })
    const name = (yield* IsoTime.now).replaceAll(":", "-")
    const kept = LocalPaths.join(`${folder}-kept`, LocalPaths.basename(LocalPaths.dirname(scratch)), name)
    const recovered = yield* holdLock(repository, TakeOver.recover(files, { enter: enterAt, scratch, kept }))
    if (recovered !== undefined) yield* Effect.logWarning(recovered)
  })
  return yield* Claim.sweep(means, repository, rescue)
})

export const make = Effect.fnUntraced(function* ({ folder, bounds: given }: WorktreeOptions) {
  const replaying = yield* Effect.makeSemaphore(mostReplays)
  const { time, ...bounds } = { ...defaultBounds, ...given }
  const means: Claim.Means = {
    git: Git.make(yield* Processes, Git.nowhere, [folder]),
    files: yield* OwnFiles,
    folder,
    bounds
  }
  return Worktrees.of({
    check: (cwd) => Effect.zipRight(Repository.locate(means.files, cwd), Repository.checkVersion(means.git)),
    open: (request) => replaying.withPermits(1)(open(means, request, time)),
    apply: (cwd, patch) => apply(means, cwd, patch),
    mergeBranches: (cwd, branches) => mergeBranches(means, cwd, branches),
    sweep: (cwd) => Effect.orElseSucceed(sweep(means, cwd), () => 0)
  })
})

export const layer = (options: WorktreeOptions): Layer.Layer<Worktrees, never, Processes> =>
  Layer.effect(Worktrees, make(options))
