/** The state of a working tree as objects of git, made without touching the index of the user. */
import * as Effect from "effect/Effect"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import type { Files } from "../platform/files/OwnFiles.ts"
import type { Call, Git } from "./Git.ts"

export interface Snapshot {
  /** What is staged; the working state where that is in conflict. */
  readonly staged: string
  /** All tracked files as they are on disk, and the untracked ones that are not ignored. */
  readonly working: string
}

const failed = ({ message }: { readonly message: string }) => new WorktreeFailed({ reason: "git", message })

/** Replaces the file, if there is one. */
export const write = Effect.fnUntraced(function* (files: Files, path: string, bytes: Uint8Array) {
  yield* Effect.acquireUseRelease(
    files.createOutput(path),
    (file) => file.write(bytes),
    ({ close }) => close
  )
}, Effect.mapError(failed))

/** Names of files that end with a slash are repositories inside of this one, which are not taken along. */
const ownNames = (listed: Uint8Array): Uint8Array => {
  const kept: Array<number> = []
  let from = 0
  for (let at = listed.indexOf(0); at >= 0; at = listed.indexOf(0, from)) {
    if (listed[at - 1] !== 47) for (let i = from; i <= at; i++) kept.push(listed[i] ?? 0)
    from = at + 1
  }
  return Uint8Array.from(kept)
}

/** `scratch` is an empty name for temporary files, in a folder that exists. */
export const take = Effect.fnUntraced(function* (git: Git, files: Files, call: Call, scratch: string) {
  const index = yield* git.text(call, "rev-parse", "--path-format=absolute", "--git-path", "index")
  const copy = `${scratch}.index`
  const before = yield* Effect.option(files.read(index))
  if (before._tag === "Some") yield* write(files, copy, before.value)
  const apart: Call = { cwd: call.cwd, env: { ...call.env, GIT_INDEX_FILE: copy } }
  const staged = yield* Effect.option(git.text(apart, "write-tree"))
  yield* git.bytes(apart, "add", "-u")
  const others = ownNames(yield* git.bytes(apart, "ls-files", "-o", "-z", "--exclude-standard"))
  if (others.length > 0) {
    const list = `${scratch}.names`
    yield* write(files, list, others)
    const named = ["--pathspec-file-nul", `--pathspec-from-file=${list}`]
    yield* git.bytes(apart, "--literal-pathspecs", "add", "-f", ...named)
  }
  const working = yield* git.text(apart, "write-tree")
  const snapshot: Snapshot = { staged: staged._tag === "Some" ? staged.value : working, working }
  return snapshot
})
