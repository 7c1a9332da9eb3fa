/** Copies of a git repository for subagents that must not touch the folder of the user (protocol.md 14.4). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * `conflict`: the changes do not fit; `busy`: another process changes files; `too_large`: there is more than heddle takes along;
 * `odd_file`: git would wait for a FIFO; `slow`: it took too long. Nothing was changed then.
 */
export class WorktreeFailed extends Schema.TaggedError<WorktreeFailed>()("WorktreeFailed", {
  reason: Schema.Literal("no_git", "not_a_repository", "git", "conflict", "busy", "too_large", "odd_file", "slow"),
  message: Schema.String
}) {}

/** What a task has done to work that was not committed when its worktree was opened, and what is more than is taken over. */
export interface Withheld {
  /**
   * Changes that would delete such work or undo it, and are not in the patch: paths, with the lines of the user's file where
   * it is not all of the file, as in `a.txt:3-5,9`.
   */
  readonly leftOut: ReadonlyArray<string>
  /** Files of which the patch replaces uncommitted lines with others. */
  readonly replaced: ReadonlyArray<string>
  /** Files and folders that are too large, with their sizes, and how much is taken over at most, for people. */
  readonly tooLarge: { readonly paths: ReadonlyArray<string>; readonly most: string }
  /**
   * Copies the files of `leftOut` and `tooLarge` as the task has left them into `task` below the folder, and those of `replaced`
   * as they were into `before`. Works until the worktree is closed. Returns those of `tooLarge` that are not kept: folders, and
   * files where the folder is on another disk.
   */
  readonly copyTo: (folder: string) => Effect.Effect<ReadonlyArray<string>, WorktreeFailed>
}

/** What was changed in a worktree since it was opened, committed or not. */
export interface Delta {
  /** Whether the patch is empty. */
  readonly isEmpty: boolean
  /** In the format of `git apply`, with binary files and new ones. */
  readonly patch: Uint8Array
  readonly files: ReadonlyArray<string>
  /** Changes that the patch cannot hold, a sentence each: those in submodules and in repositories inside of this one. */
  readonly omitted: ReadonlyArray<string>
  /** Absent where the patch has all of the changes. */
  readonly withheld?: Withheld
}

export interface Worktree {
  /** The folder in the worktree that corresponds to the one that was asked for. */
  readonly cwd: string
  readonly root: string
  /** May be asked for again after more work. */
  readonly capture: Effect.Effect<Delta, WorktreeFailed>
  /**
   * Commits the changes on a new branch, on top of the user's HEAD, and returns its name, which gets a number where there is
   * such a branch already. Fails with `conflict` where the changes need lines that the user has not committed.
   */
  readonly commitTo: (branch: string, message: string) => Effect.Effect<string, WorktreeFailed>
}

export interface Merged {
  /** These branches are gone: HEAD has their commits. */
  readonly merged: ReadonlyArray<string>
  readonly conflict?: { readonly branch: string; readonly message: string }
  /** The branch in conflict and all behind it. */
  readonly left: ReadonlyArray<string>
}

export class Worktrees extends Context.Tag("heddle/services/delegation/Worktrees")<
  Worktrees,
  {
    /** Fails where `open` would: there is no git, or no repository. */
    readonly check: (cwd: string) => Effect.Effect<void, WorktreeFailed>
    /**
     * A worktree with the staged, unstaged and untracked files of the repository that `cwd` is in. Closing the scope removes
     * it, with everything in it.
     */
    readonly open: (request: {
      readonly cwd: string
      readonly id: string
    }) => Effect.Effect<Worktree, WorktreeFailed, Scope.Scope>
    /** Applies a patch to the files of the repository: all of it, or nothing. The index stays as it is. */
    readonly apply: (cwd: string, patch: Uint8Array) => Effect.Effect<void, WorktreeFailed>
    /**
     * Puts the commits of the branches onto HEAD, one after the other, up to the first one that conflicts with HEAD or with
     * what the user has not committed. Staged, unstaged and untracked changes stay as they are.
     */
    readonly mergeBranches: (cwd: string, branches: ReadonlyArray<string>) => Effect.Effect<Merged, WorktreeFailed>
    /** Removes what killed processes have left for this repository, and returns how many worktrees that were. */
    readonly sweep: (cwd: string) => Effect.Effect<number>
  }
>() {}
