/**
 * Puts branches of tasks onto HEAD (protocol.md 14.4). Everything is computed beside the user's files first: the commits, and
 * the staged and the working state on top of them. Uncommitted work is never put away, not even for a moment.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Merged } from "../../../services/delegation/Worktrees.ts"
import type { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Means, ClaimedFolder } from "./Claim.ts"
import * as Diff from "./Diff.ts"
import type { Call } from "./Git.ts"
import type { Repository } from "./Repository.ts"
import type { Manners } from "./Shield.ts"
import * as Snapshot from "./Snapshot.ts"
import * as Survey from "./Survey.ts"
import * as TakeOver from "./TakeOver.ts"

/** A tree that patches are put onto, in an index of its own. */
interface Pile {
  readonly tree: string
  readonly call: Call
}

interface Piles {
  readonly commit: string
  readonly head: Pile
  readonly staged: Pile
  readonly working: Pile
}

interface Work {
  readonly means: Means
  readonly repository: Repository
  readonly claimed: ClaimedFolder
  /** Writes into the store of the repository. */
  readonly call: Call
  /** Writes into a store of its own. */
  readonly apart: Call
}

const start = Effect.fnUntraced(function* ({ means: { git }, claimed }: Work, call: Call, name: string, tree: string) {
  const pile: Pile = { tree, call: Snapshot.withIndex(call, LocalPaths.join(claimed.scratch, `${name}.index`)) }
  yield* git.text(pile.call, "read-tree", tree)
  return pile
})

const put = ({ means: { git } }: Work, pile: Pile, patch: string) =>
  Effect.map(Snapshot.patched(git, pile.call, patch), (tree) => ({ ...pile, tree }))

const inTheWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"]

/** HEAD and the user's files as trees. */
const look = Effect.fnUntraced(function* (work: Work, { isSparse }: Manners, without: ReadonlyArray<string>) {
  const { apart, call, means, claimed, repository } = work
  const { files, git } = means
  for (const name of inTheWay)
    if ((yield* Effect.mapError(files.state(LocalPaths.join(repository.dir, name)), Snapshot.failed)) !== undefined)
      return yield* Snapshot.failed({ message: `The repository is in the middle of something else (${name}).` })
  const output = yield* Effect.mapError(git.text(call, "rev-parse", "HEAD^{commit}", "HEAD^{tree}"), () =>
    Snapshot.failed({ message: "The repository has no commits yet." })
  )
  const [commit = "", tree = ""] = output.split("\n")
  const copy = LocalPaths.join(claimed.scratch, "user.index")
  const { staged, working } = yield* Snapshot.take(git, files, apart, {
    index: repository.index,
    copy,
    isSparse,
    without,
    bounds: Survey.ofUser
  })
  if (Option.isNone(staged)) return yield* Snapshot.failed({ message: "The index of the repository has conflicts." })
  return {
    commit,
    head: yield* start(work, call, "head", tree),
    staged: yield* start(work, apart, "staged", staged.value),
    working: yield* start(work, apart, "working", working)
  } satisfies Piles
})

const uncommitted = ({ message }: WorktreeFailed) =>
  Snapshot.conflict({ message: `It conflicts with uncommitted changes. ${message}` })

/** The commit of one branch on top of all before it. */
const pick = Effect.fnUntraced(function* (work: Work, { commit, head, staged, working }: Piles, branch: string) {
  const { call, means, claimed } = work
  const { files, git } = means
  const ref = `refs/heads/${branch}`
  const output = yield* git.text(call, "rev-parse", "--verify", `${ref}^{commit}`)
  const parent = yield* git.text(call, "rev-parse", "--verify", `${ref}^1`)
  const patch = LocalPaths.join(claimed.scratch, "pick.patch")
  if (!(yield* Diff.write(means, call, [parent, output], patch))) return { commit, head, staged, working }
  const next = yield* put(work, head, patch)
  const others = yield* Effect.mapError(
    Effect.all({ staged: put(work, staged, patch), working: put(work, working, patch) }),
    uncommitted
  )
  if (parent === commit) return { commit: output, head: next, ...others }
  const file = LocalPaths.join(claimed.scratch, "message")
  const raw = yield* git.text(call, "cat-file", "commit", output)
  yield* Snapshot.write(files, file, new TextEncoder().encode(raw.slice(raw.indexOf("\n\n") + 2)))
  const made = yield* git.text(call, "commit-tree", "-p", commit, "-F", file, next.tree)
  return { commit: made, head: next, ...others }
})

const pickAll = Effect.fnUntraced(function* (work: Work, from: Piles, branches: ReadonlyArray<string>) {
  let piles: Piles = from
  const merged: Array<string> = []
  for (const branch of branches) {
    const picked = yield* Effect.either(pick(work, piles, branch))
    if (picked._tag === "Left") {
      const left = branches.slice(merged.length)
      const stopped: Merged = { merged, conflict: { branch, message: picked.left.message }, left }
      return { piles, result: stopped }
    }
    piles = picked.right
    merged.push(branch)
  }
  const result: Merged = { merged, left: [] }
  return { piles, result }
})

/** Editors ask git for the status all the time, and it locks the index for a moment. */
const isLocked = ({ message }: WorktreeFailed) => message.includes("index.lock")

/** Files first, HEAD last: until then the user has everything as it was, and the changes beside it. */
const takeOver = Effect.fnUntraced(function* (work: Work, before: Piles, after: Piles) {
  const { apart, call, means, claimed } = work
  const { files, git } = means
  const { scratch } = claimed
  yield* Diff.write(means, apart, [before.working.tree, after.working.tree], TakeOver.patchIn(scratch))
  yield* Diff.write(means, apart, [before.staged.tree, after.staged.tree], TakeOver.indexPatchIn(scratch))
  const undo = yield* TakeOver.apply(git, files, call, { scratch, head: before.commit })
  const index = TakeOver.indexPatchIn(scratch)
  yield* TakeOver.toIndex(git, files, call, index).pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 10, while: isLocked }),
    Effect.zipRight(
      Effect.onError(
        git.text(call, "update-ref", "-m", "heddle: merge tasks", "HEAD", after.commit, before.commit),
        () => Effect.ignore(git.text(call, "apply", "--cached", "-R", "--binary", index))
      )
    ),
    Effect.onError(() => Effect.ignore(undo))
  )
}, Effect.uninterruptible)

export const branches = Effect.fnUntraced(function* (
  work: Work,
  manners: Manners,
  without: ReadonlyArray<string>,
  names: ReadonlyArray<string>
) {
  const { call, means } = work
  const before = yield* look(work, manners, without)
  const { piles, result } = yield* pickAll(work, before, names)
  if (piles.commit !== before.commit) yield* takeOver(work, before, piles)
  for (const name of result.merged) yield* Effect.ignore(means.git.text(call, "update-ref", "-d", `refs/heads/${name}`))
  return result
})
