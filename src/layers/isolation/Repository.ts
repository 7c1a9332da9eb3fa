/** The repository that a folder is in, and the programs that its settings would make git run. */
import * as Effect from "effect/Effect"
import { WorktreeFailed } from "../../services/delegation/Worktrees.ts"
import type { Git, Variables } from "./Git.ts"

export interface Repository {
  /** The top folder of the files. */
  readonly root: string
  /** The folder that all worktrees of the repository share. */
  readonly common: string
  /** The folder of git for this worktree: `common`, but for linked worktrees. */
  readonly dir: string
  readonly index: string
  readonly objects: string
}

const places = [
  "--show-toplevel",
  "--git-common-dir",
  "--absolute-git-dir",
  "--git-path",
  "index",
  "--git-path",
  "objects"
]

/** Everything else that git complains about has a remedy that git names. */
const isNone = /not a git repository|must be run in a work tree/

export const locate = Effect.fnUntraced(function* (git: Git, cwd: string) {
  const args = ["rev-parse", "--path-format=absolute", ...places]
  const said = yield* Effect.mapError(git.text({ cwd }, ...args), ({ message, reason }) =>
    isNone.test(message)
      ? new WorktreeFailed({ message, reason: "not_a_repository" })
      : new WorktreeFailed({ message, reason })
  )
  // An older git repeats options that it does not know, and would ignore the settings that keep programs from running.
  if (said.startsWith("--"))
    return yield* new WorktreeFailed({ reason: "git", message: "Worktrees need git 2.32 or later." })
  const [root, common, dir, index, objects, ...rest] = said.split("\n")
  if (root === undefined || common === undefined || dir === undefined || index === undefined || objects === undefined)
    return yield* new WorktreeFailed({ reason: "not_a_repository", message: `${cwd} has no files of git` })
  if (rest.length > 0)
    return yield* new WorktreeFailed({ reason: "git", message: `The path of the repository has a newline: ${cwd}` })
  const repository: Repository = { root, common, dir, index, objects }
  return repository
})

/** What the settings of a repository ask of calls. */
export interface Manners {
  /** Settings that replace every filter and merge driver: a repository must not choose programs that heddle runs. */
  readonly config: Variables
  /** The names of the filters. */
  readonly filters: ReadonlySet<string>
  readonly isSparse: boolean
}

const silent = (key: string): ReadonlyArray<readonly [string, string]> => {
  const name = key.slice(0, key.lastIndexOf("."))
  if (key.startsWith("merge.")) return [[`${name}.driver`, "false"]]
  return [
    [`${name}.clean`, ""],
    [`${name}.smudge`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"]
  ]
}

const wanted = String.raw`^((filter|merge)\..*\..*|core\.sparsecheckout)$`

/** Asked before each piece of work: an agent may have changed the settings. */
export const manners = Effect.fnUntraced(function* (git: Git, { root: cwd }: Repository) {
  const { output } = yield* git.end({ cwd }, "config", "--null", "--get-regexp", wanted)
  const entries = output.split("\0").map((entry) => entry.split("\n", 2))
  const isSparse = entries.some(([key, value]) => key === "core.sparsecheckout" && value !== "false")
  const keys = entries.flatMap(([key = ""]) => (/^(filter|merge)\./.test(key) ? [key] : []))
  const filters = keys.flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? [])
  const asked: Manners = { config: Object.fromEntries(keys.flatMap(silent)), filters: new Set(filters), isSparse }
  return asked
})
