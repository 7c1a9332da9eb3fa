/** Takes what subagents have changed over into the folder of the user: a patch, or branches (protocol.md 14.4). */
import * as Effect from "effect/Effect"
import type { Merged } from "../../services/delegation/Worktrees.ts"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import type { Call, Git } from "./Git.ts"

const flags = ["--binary", "--whitespace=nowarn"]

/** All or nothing. `patch` is the path of a file. */
export const apply = (git: Git, at: Call, patch: string) =>
  git.bytes(at, "apply", "--check", ...flags, patch).pipe(
    Effect.mapError(({ message }) => new WorktreeFailed({ reason: "conflict", message })),
    Effect.zipRight(Effect.uninterruptible(git.bytes(at, "apply", ...flags, patch))),
    Effect.asVoid
  )

const stashed = Effect.fnUntraced(function* (git: Git, at: Call) {
  const before = yield* Effect.option(git.text(at, "rev-parse", "-q", "--verify", "refs/stash"))
  yield* git.bytes(at, "stash", "push", "--include-untracked", "-m", "heddle: put aside while tasks are merged")
  const after = yield* Effect.option(git.text(at, "rev-parse", "-q", "--verify", "refs/stash"))
  return after._tag === "Some" && (before._tag === "None" || before.value !== after.value)
})

/** Picks one branch after the other; what conflicts, and all behind it, is left. */
const pick = Effect.fnUntraced(function* (git: Git, at: Call, branches: ReadonlyArray<string>) {
  const merged: Array<string> = []
  for (const branch of branches) {
    const picked = yield* Effect.either(
      git.bytes(at, "cherry-pick", "--allow-empty", "--keep-redundant-commits", `refs/heads/${branch}`)
    )
    if (picked._tag === "Left") {
      yield* Effect.ignore(git.bytes(at, "cherry-pick", "--abort"))
      const { message } = picked.left
      const stopped: Merged = { merged, conflict: { branch, message }, left: branches.slice(merged.length) }
      return stopped
    }
    merged.push(branch)
  }
  const all: Merged = { merged, left: [] }
  return all
})

/**
 * What the user has not committed is put aside meanwhile. If it does not fit on top of the branches, they are taken
 * back: the user's own work comes first.
 */
export const branches = Effect.fnUntraced(function* (git: Git, at: Call, names: ReadonlyArray<string>) {
  const before = yield* git.text(at, "rev-parse", "--verify", "HEAD^{commit}")
  const isAside = yield* stashed(git, at)
  const done = yield* pick(git, at, names)
  if (isAside) {
    const back = yield* Effect.either(git.bytes(at, "stash", "pop", "--index"))
    if (back._tag === "Left") {
      yield* git.bytes(at, "reset", "--hard", before)
      yield* Effect.mapError(
        git.bytes(at, "stash", "pop", "--index"),
        ({ message }) =>
          new WorktreeFailed({
            reason: "git",
            message: `${message}. Your uncommitted changes are safe in the newest entry of git stash.`
          })
      )
      const message = "Uncommitted changes in the folder conflict with the branches; commit them and merge by hand."
      const none: Merged = { merged: [], conflict: { branch: names[0] ?? "", message }, left: names }
      return none
    }
  }
  for (const name of done.merged) yield* Effect.ignore(git.bytes(at, "update-ref", "-d", `refs/heads/${name}`))
  return done
}, Effect.uninterruptible)
