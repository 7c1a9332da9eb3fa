/** The state of a working tree as objects of git, made without touching the index or the objects of the user. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import type { Call, Git } from "./Git.ts"
import * as Survey from "./Survey.ts"

export const failed = ({ message }: { readonly message: string }) => new WorktreeFailed({ reason: "git", message })

export const conflict = ({ message }: { readonly message: string }) =>
  new WorktreeFailed({ reason: "conflict", message })

/** The tree of an index with a patch on top of it. */
export const patched = Effect.fnUntraced(function* (git: Git, call: Call, patch: string) {
  const apply = git.text(call, "apply", "--cached", "--3way", "--binary", "--whitespace=nowarn", patch)
  yield* Effect.mapError(apply, conflict)
  return yield* git.text(call, "write-tree", "--missing-ok")
})

/** Replaces the file, if there is one. */
export const write = Effect.fnUntraced(function* (files: Files, path: string, bytes: Uint8Array) {
  yield* files.removeFolder(path)
  yield* Effect.acquireUseRelease(
    files.createOutput(path),
    (file) => file.write(bytes),
    ({ close }) => close
  )
}, Effect.mapError(failed))

/**
 * A store for objects that reads those of the repository, too. Files that the user has not committed may be large or secret:
 * they do not belong into the store of the repository, and go away with this one.
 */
export const makeStore = Effect.fnUntraced(function* (files: Files, objects: string, scratch: string) {
  const store = LocalPaths.join(scratch, "objects")
  yield* Effect.mapError(files.makeFolder(LocalPaths.join(store, "info")), failed)
  yield* write(files, LocalPaths.join(store, "info", "alternates"), new TextEncoder().encode(`${objects}\n`))
  return { folder: store, env: { GIT_OBJECT_DIRECTORY: store }, config: { "core.looseCompression": "0" } }
})

export const withIndex = (call: Call, index: string): Call => ({
  ...call,
  env: { ...call.env, GIT_INDEX_FILE: index }
})

/** The mode of an entry that stands for a repository: `160000 <hash> 0\t<path>`. */
const gitlink = new TextEncoder().encode("160000 ")

/** The paths in the index that are other repositories: submodules, nearly always. */
export const submodules = Effect.fnUntraced(function* (git: Git, call: Call) {
  const found: Array<string> = []
  const take = (record: Uint8Array) => {
    if (!gitlink.every((byte, at) => record[at] === byte)) return
    const entry = new TextDecoder().decode(record)
    found.push(entry.slice(entry.indexOf("\t") + 1))
  }
  yield* git.each(call, take, "ls-files", "-s", "-z")
  return found
})

export interface Tracking {
  /** Paths below the top that are left as the index has them. */
  readonly without: ReadonlyArray<string>
  readonly isSparse: boolean
  readonly bounds: Survey.Bounds
  /** Names of ignored files that count as well. */
  readonly forced?: ReadonlyArray<string>
}

export interface Tracked {
  readonly oversized: ReadonlyArray<Survey.Oversized>
  /** What cannot be read, in git's words. */
  readonly problems: ReadonlyArray<string>
}

/**
 * Puts all files that are not ignored into the index of the call, but for those that are too large or cannot be read. `list`
 * is where git finds their names.
 */
export const track = Effect.fnUntraced(function* (
  git: Git,
  files: Files,
  call: Call,
  { bounds, forced = [], isSparse, list, without }: Tracking & { readonly list: string }
) {
  const among = [":/", ...without.map((path) => `:(top,exclude,literal)${path}`)]
  const oversized = yield* Survey.oversized(git, files, call, { among, bounds, forced })
  const left = oversized.map(({ name }) => Buffer.concat([Buffer.from(":(top,exclude,literal)"), Survey.bytesOf(name)]))
  const specs = [...among.map((spec) => Buffer.from(spec)), ...left]
  yield* write(files, list, Buffer.concat(specs.flatMap((spec) => [spec, Buffer.of(0)])))
  const from = [`--pathspec-from-file=${list}`, "--pathspec-file-nul"]
  const ended = yield* git.end(call, "add", "-A", "--ignore-errors", ...(isSparse ? ["--sparse"] : []), ...from)
  if (ended.exitCode !== 0 && ended.exitCode !== 1) return yield* failed({ message: `git add failed: ${ended.errors}` })
  return {
    oversized,
    problems: ended.errors.split("\n").filter((line) => line.startsWith("error: "))
  } satisfies Tracked
})

export interface Snapshot {
  /** What is staged; none while the index has conflicts. */
  readonly staged: Option.Option<string>
  /** All tracked files as they are on disk, and the untracked ones that are not ignored. */
  readonly working: string
  readonly submodules: ReadonlyArray<string>
  /** What is too large, and counts as unchanged. */
  readonly oversized: ReadonlyArray<Survey.Oversized>
  readonly problems: ReadonlyArray<string>
}

/** `copy` is where the copy of the index goes, which is all that git changes. */
export const take = Effect.fnUntraced(function* (
  git: Git,
  files: Files,
  call: Call,
  { copy, index, without, ...rest }: Tracking & { readonly index: string; readonly copy: string }
) {
  // With the time of the original: git looks into files that are not older than their index.
  yield* Effect.mapError(files.copyFile(index, copy), failed)
  const apart = withIndex(call, copy)
  const [staged, links] = yield* Effect.all(
    [Effect.option(git.text(apart, "write-tree", "--missing-ok")), submodules(git, apart)],
    {
      concurrency: "unbounded"
    }
  )
  const all = { ...rest, without: [...without, ...links], list: `${copy}.paths` }
  const { oversized, problems } = yield* Survey.watched(call.cwd, track(git, files, apart, all))
  const working = yield* git.text(apart, "write-tree", "--missing-ok")
  return { staged, working, submodules: links, oversized, problems } satisfies Snapshot
})
