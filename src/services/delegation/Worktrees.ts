/** Copies of a git repository for subagents that must not touch the folder of the user (protocol.md 14.4). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

export class WorktreeFailed extends Schema.TaggedError<WorktreeFailed>()("WorktreeFailed", {
  reason: Schema.Literal("not_a_repository", "git", "conflict"),
  message: Schema.String
}) {}

export interface Delta {
  readonly isEmpty: boolean
  readonly patch: Uint8Array
  readonly files: ReadonlyArray<string>
}

export interface Worktree {
  readonly cwd: string
  readonly root: string
  readonly capture: Effect.Effect<Delta, WorktreeFailed>
  readonly commitTo: (branch: string, message: string) => Effect.Effect<void, WorktreeFailed>
}

export interface Merged {
  readonly merged: ReadonlyArray<string>
  readonly conflict?: { readonly branch: string; readonly message: string }
  readonly left: ReadonlyArray<string>
}

export class Worktrees extends Context.Tag("heddle/services/delegation/Worktrees")<
  Worktrees,
  {
    readonly check: (cwd: string) => Effect.Effect<void, WorktreeFailed>
    readonly open: (request: {
      readonly cwd: string
      readonly id: string
    }) => Effect.Effect<Worktree, WorktreeFailed, Scope.Scope>
    readonly apply: (cwd: string, patch: Uint8Array) => Effect.Effect<void, WorktreeFailed>
    readonly mergeBranches: (cwd: string, branches: ReadonlyArray<string>) => Effect.Effect<Merged, WorktreeFailed>
    readonly sweep: (cwd: string) => Effect.Effect<number>
  }
>() {}
