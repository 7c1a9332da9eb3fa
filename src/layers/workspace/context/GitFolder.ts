/**
 * Where a repository keeps its files, and what is checked out, read without git: git would run the programs that the
 * configuration of the repository names, and which configuration that is, only git knows.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as ReadText from "../../machine/files/ReadText.ts"

type Reader = Pick<Files, "read" | "real" | "state">

export interface GitFolder {
  /** The folder of the files that are checked out: HEAD and the index. Without links. */
  readonly dir: string
  /** The folder that all worktrees share: refs, objects and the configuration. Without links. */
  readonly common: string
}

/** A path or the name of a branch. */
const largest = 8 * 1024
const longestBranch = 200

/** Undefined for everything but a small regular file, which is read without waiting. */
export const textOf = (files: Reader, path: string, most = largest): Effect.Effect<string | undefined> =>
  Effect.map(
    Effect.orElseSucceed(ReadText.readIfPresent(files, path, { largest: most }), () => Option.none<string>()),
    Option.getOrUndefined
  )

/** As git takes it: blanks belong to the path, and the ends of lines do not. A path of several lines is not followed. */
const pathIn = (text: string, from: string): string | undefined => {
  const path = text.replace(/[\r\n]+$/, "")
  return path === "" || /[\n\0]/.test(path) ? undefined : LocalPaths.resolve(from, path)
}

/** In a worktree, `.git` is a file that names the folder. Such a file is followed once. */
const dirOf = Effect.fnUntraced(function* (files: Reader, root: string) {
  const path = LocalPaths.join(root, ".git")
  const state = yield* Effect.orElseSucceed(files.state(path), () => undefined)
  if (state?.isFile !== true) return path
  const text = yield* textOf(files, path)
  return text?.startsWith("gitdir: ") === true ? pathIn(text.slice("gitdir: ".length), root) : undefined
})

/** Undefined where `.git` in the folder leads to nothing that looks like a repository. */
export const find = Effect.fnUntraced(
  function* (files: Reader, root: string) {
    const dir = yield* Effect.flatMap(dirOf(files, root), Effect.fromNullable)
    const shared = yield* textOf(files, LocalPaths.join(dir, "commondir"))
    const common = shared === undefined ? dir : yield* Effect.fromNullable(pathIn(shared, dir))
    const head = yield* files.state(LocalPaths.join(dir, "HEAD"))
    const folders = yield* Effect.forEach(["objects", "refs"], (name) => files.state(LocalPaths.join(common, name)))
    if (head?.isFile !== true || !folders.every((folder) => folder?.isFile === false)) return undefined
    return { dir: yield* files.real(dir), common: yield* files.real(common) } satisfies GitFolder
  },
  Effect.orElseSucceed(() => undefined)
)

/** The branch or the commit that is checked out, in words. */
export const checkedOut = Effect.fnUntraced(function* (files: Reader, { dir }: GitFolder) {
  const head = (yield* textOf(files, LocalPaths.join(dir, "HEAD"))) ?? ""
  const [, branch, commit] = /^(?:ref: refs\/heads\/([^\s\p{C}]+)|([0-9a-f]{7})[0-9a-f]{33,})\s*$/u.exec(head) ?? []
  // Where refs are in a table, HEAD names a branch that no repository can have.
  if (branch === ".invalid") return undefined
  if (branch !== undefined) return `branch ${branch.slice(0, longestBranch)}`
  return commit === undefined ? undefined : `no branch, at commit ${commit}`
})
