/**
 * The repository of a worktree, which belongs to the agent that works there: branches, stash, settings and objects that it makes
 * go away with it. A linked worktree of git would share all of them with the user. It reads the objects of the user where they are,
 * and begins with the same branches, tags and settings.
 */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import type { Means, ClaimedFolder } from "./Claim.ts"
import type { Repository } from "./Repository.ts"
import type { Manners } from "./Shield.ts"
import { failed, write } from "./Snapshot.ts"

export interface Start {
  /** The commit that HEAD is at; undefined before the first one. */
  readonly commit: string | undefined
  /** Objects of files that the user has not committed. */
  readonly objects: string
  readonly manners: Manners
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`

/** The settings of the user, which the task may change, and over them how this repository keeps its files. */
const configOf = ({ common }: Repository, path: string, { configuration, isElsewhere }: Manners) =>
  [
    `[core]\n\thooksPath = ${quoted(LocalPaths.join(common, "hooks"))}`,
    configuration,
    "[core]\n\tbare = false",
    // Both would leave files or processes behind for a folder that is soon gone.
    "\tfsmonitor = false\n\tsplitIndex = false",
    ...(isElsewhere ? [`\tworktree = ${quoted(path)}`] : []),
    "[extensions]\n\tworktreeConfig = false",
    ...(/refstorage/i.test(configuration) ? ["\trefStorage = files"] : []),
    ""
  ].join("\n")

/** The others belong to one worktree. */
const isShared = (line: string) => line !== "" && !/^\S+ refs\/(stash$|bisect\/|worktree\/|rewritten\/)/.test(line)

/** What a repository says beside its settings, by the folder that has it. */
const copied = ({ common, dir }: Repository) => [
  [common, "info/exclude"],
  [common, "info/attributes"],
  [common, "shallow"],
  [dir, "info/sparse-checkout"]
]

/** Returns the folder of git. */
export const make = Effect.fnUntraced(function* (
  { files, git }: Means,
  repository: Repository,
  { path }: ClaimedFolder,
  start: Start
) {
  const own = LocalPaths.join(path, ".git")
  for (const name of ["objects/info", "refs", "info"])
    yield* Effect.mapError(files.makeFolder(LocalPaths.join(own, name)), failed)
  const put = (name: string, text: string) => write(files, LocalPaths.join(own, name), new TextEncoder().encode(text))
  const refs = yield* git.text({ cwd: repository.root }, "for-each-ref", "--format=%(objectname) %(refname)")
  yield* put("packed-refs", `${refs.split("\n").filter(isShared).join("\n")}\n`.trimStart())
  yield* put("objects/info/alternates", `${repository.objects}\n${start.objects}\n`)
  yield* put("config", configOf(repository, path, start.manners))
  for (const [from = "", name = ""] of copied(repository))
    yield* Effect.mapError(files.copyFile(LocalPaths.join(from, name), LocalPaths.join(own, name)), failed)
  if (start.commit !== undefined) yield* put("HEAD", `${start.commit}\n`)
  else
    yield* Effect.mapError(
      files.copyFile(LocalPaths.join(repository.dir, "HEAD"), LocalPaths.join(own, "HEAD")),
      failed
    )
  return own
})
