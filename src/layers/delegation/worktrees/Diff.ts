/** Patches between trees, in the one form that `git apply` takes whatever the user's settings are. */
import * as Effect from "effect/Effect"
import type { Means } from "./Claim.ts"
import type { Call, Git } from "./Git.ts"
import { failed } from "./Snapshot.ts"

const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"]
const whole = ["--binary", "--full-index", "--no-renames", "--ignore-submodules=all"]

type Trees = readonly [before: string, after: string]

export interface Options {
  /** Lines around each change. */
  readonly context?: number
  /** The paths that count; all if absent. */
  readonly paths?: ReadonlyArray<string>
}

/** Whether there is any difference. What is at `file` is replaced. */
export const write = Effect.fnUntraced(function* (
  { files, git }: Means,
  call: Call,
  trees: Trees,
  file: string,
  { context = 3, paths = [] }: Options = {}
) {
  const literal: Call = { ...call, env: { ...call.env, GIT_LITERAL_PATHSPECS: "1" } }
  const some = paths.length === 0 ? [] : ["--", ...paths]
  yield* git.text(
    literal,
    "diff-tree",
    "-r",
    "-p",
    `-U${context}`,
    ...plain,
    ...whole,
    `--output=${file}`,
    ...trees,
    ...some
  )
  const state = yield* Effect.mapError(files.state(file), failed)
  return (state?.size ?? 0) > 0
})

/** What a tree has at a path. */
export interface Entry {
  readonly mode: string
  readonly hash: string
}

export interface Change {
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

export type Changes = ReadonlyMap<string, Change>

const nothing = "000000"

const entryOf = (mode = nothing, hash = ""): Entry | undefined => (mode === nothing ? undefined : { mode, hash })

/** From records `:<mode> <mode> <hash> <hash> <letter>`, each followed by its path, in the order of patches. */
export const changes = Effect.fnUntraced(function* (git: Git, call: Call, trees: Trees) {
  const output = yield* git.text(call, "diff-tree", "-r", "-z", "--raw", "--no-renames", ...trees)
  const found = new Map<string, Change>()
  const records = output.split("\0")
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [before, after, from, to] = (records[at] ?? "").slice(1).split(" ")
    found.set(records[at + 1] ?? "", { before: entryOf(before, from), after: entryOf(after, to) })
  }
  const all: Changes = found
  return all
})

export const gitlink = "160000"
