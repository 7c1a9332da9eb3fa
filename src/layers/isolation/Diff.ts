/** Patches between trees, in the one form that `git apply` takes whatever the user's settings are. */
import * as Effect from "effect/Effect"
import type { Means } from "./Claim.ts"
import type { Call } from "./Git.ts"
import { failed } from "./Snapshot.ts"

const plain = ["-U3", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"]
const whole = ["--binary", "--full-index", "--no-renames", "--ignore-submodules=all"]

type Trees = readonly [before: string, after: string]

/** Whether there is any difference. What is at `file` is replaced. */
export const write = Effect.fnUntraced(function* ({ files, git }: Means, call: Call, trees: Trees, file: string) {
  yield* git.text(call, "diff-tree", "-r", "-p", ...plain, ...whole, `--output=${file}`, ...trees)
  const state = yield* Effect.mapError(files.state(file), failed)
  return (state?.size ?? 0) > 0
})

export interface Changed {
  readonly files: ReadonlyArray<string>
  /** Paths that have become repositories, or are no longer the same one. */
  readonly repositories: ReadonlyArray<string>
}

const gitlink = "160000"

/** From records `:<mode> <mode> <hash> <hash> <letter>`, each followed by its path. */
export const names = Effect.fnUntraced(function* ({ git }: Means, call: Call, trees: Trees) {
  const said = yield* git.text(call, "diff-tree", "-r", "-z", "--raw", "--no-renames", ...trees)
  const files: Array<string> = []
  const repositories: Array<string> = []
  const records = said.split("\0")
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [, after] = (records[at] ?? "").split(" ")
    const into = after === gitlink ? repositories : files
    into.push(records[at + 1] ?? "")
  }
  const changed: Changed = { files, repositories }
  return changed
})
