/**
 * What git would have to read before it takes the files of a folder along, and what of it is too much: git itself reads a file of
 * any size to its end. Nothing is read here, only names and sizes.
 */
import * as Effect from "effect/Effect"
import { WorktreeFailed } from "../../../services/delegation/Worktrees.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as FolderEntries from "../../machine/files/folders/FolderEntries.ts"
import { formatBytes } from "../../tools/files/Truncate.ts"
import type { Call, Git } from "./Git.ts"

/** Bytes of one file, and of all that have changed together. */
export interface Bounds {
  readonly largestFile: number
  readonly mostFiles: number
  readonly mostBytes: number
}

/** Of the folder of the user, which is read when a worktree is made and when branches are merged. */
export const ofUser: Bounds = { largestFile: 2 ** 28, mostFiles: 200_000, mostBytes: 2 ** 30 }

export const words = ({ largestFile, mostBytes, mostFiles }: Bounds): string =>
  `at most ${mostFiles} files of at most ${formatBytes(largestFile)} each and ${formatBytes(mostBytes)} together`

/** Names have one character for each byte, because they need not be UTF-8. */
interface Changed {
  readonly name: string
  readonly bytes: number
}

export interface Oversized extends Changed {
  /** The number of files in a folder, whose name ends with a slash. */
  readonly files?: number
}

export const bytesOf = (name: string): Uint8Array => Buffer.from(name, "latin1")

export const pathOf = ({ name }: Oversized): string => new TextDecoder().decode(bytesOf(name))

export const label = (one: Oversized): string =>
  `${pathOf(one)} (${one.files === undefined ? "" : `${one.files} files, `}${formatBytes(one.bytes)})`

const namesFrom = Effect.fnUntraced(function* (git: Git, call: Call, ...args: ReadonlyArray<string>) {
  const names: Array<string> = []
  yield* git.each(call, (record) => void names.push(Buffer.from(record).toString("latin1")), ...args)
  return names
})

const untracked = ["ls-files", "-z", "--others", "--exclude-standard"]

const foldersAbove = (name: string): ReadonlyArray<string> =>
  [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index + 1))

/** The untracked folders with what has changed in each. */
const newFolders = Effect.fnUntraced(function* (
  git: Git,
  call: Call,
  among: ReadonlyArray<string>,
  changed: ReadonlyArray<Changed>
) {
  const names = new Set(yield* namesFrom(git, call, ...untracked, "--directory", "--", ...among))
  const inFolders = Map.groupBy(changed, ({ name }) => foldersAbove(name).find((folder) => names.has(folder)))
  return [...inFolders].flatMap(([name, inside]) => (name === undefined ? [] : [{ name, inside }]))
})

const sum = (changed: ReadonlyArray<Changed>) => changed.reduce((bytes, one) => bytes + one.bytes, 0)

const exceeds = (changed: ReadonlyArray<Changed>, { mostBytes, mostFiles }: Bounds) =>
  changed.length > mostFiles || sum(changed) > mostBytes

/** A command line of git, and its search through them, have room for these. */
const mostLeftOut = 1000

export interface Surveyed {
  /** The pathspecs of what counts. */
  readonly among: ReadonlyArray<string>
  readonly bounds: Bounds
  /** Names of files that count although they are ignored. */
  readonly forced: ReadonlyArray<string>
}

/**
 * The changed files that are too large. Where there are too many others, new folders go as a whole, the fullest ones first:
 * dependencies and output of builds, nearly always. Fails where that is not enough: half of a change is worse than none.
 */
export const oversized = Effect.fnUntraced(function* (
  git: Git,
  files: Files,
  call: Call,
  { among, bounds, forced }: Surveyed
): Effect.fn.Return<ReadonlyArray<Oversized>, WorktreeFailed> {
  const listed = yield* Effect.all(
    [
      namesFrom(git, call, ...untracked, "--", ...among),
      namesFrom(git, call, "diff-files", "-z", "--name-only", "--ignore-submodules=all", "--", ...among)
    ],
    { concurrency: "unbounded" }
  )
  const names = new Set([...listed.flat(), ...forced.map((name) => Buffer.from(name).toString("latin1"))])
  const changed = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.orElseSucceed(files.ownSize(call.cwd, bytesOf(name)), () => 0),
      (bytes): Changed => ({ name, bytes })
    )
  )
  const { large = [], rest: others = [] } = Object.groupBy(changed, ({ bytes }) =>
    bytes > bounds.largestFile ? "large" : "rest"
  )
  const left: Array<Oversized> = [...large]
  let rest: ReadonlyArray<Changed> = others
  if (exceeds(rest, bounds)) {
    const weight = rest.length > bounds.mostFiles ? (inside: ReadonlyArray<Changed>) => inside.length : sum
    const folders = yield* newFolders(git, call, among, rest)
    for (const { inside, name } of folders.toSorted((a, b) => weight(b.inside) - weight(a.inside))) {
      if (!exceeds(rest, bounds)) break
      const gone = new Set(inside)
      rest = rest.filter((one) => !gone.has(one))
      left.push({ name, files: inside.length, bytes: sum(inside) })
    }
  }
  if (!exceeds(rest, bounds) && left.length <= mostLeftOut) return left
  return yield* new WorktreeFailed({
    reason: "too_large",
    message: `${changed.length} files were changed, ${formatBytes(sum(changed))} together; heddle takes over ${words(bounds)}.`
  })
})

/** git opens these wherever it meets them, and waits for ever where one is a FIFO. It opens no links. */
const opened = new Set([".gitattributes", ".gitignore", ".gitmodules"])

const mostEntries = 100_000

/** Those that are no files. What cannot be listed has none for git either. */
export const oddFiles = Effect.fnUntraced(function* (root: string) {
  const found: Array<string> = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { entries } = yield* Effect.orElseSucceed(FolderEntries.read(folder, mostEntries), () => ({ entries: [] }))
    for (const { isLink, kind, name, path } of entries) {
      if (isLink || (folder === root && name === ".git")) continue
      if (kind === "folder") folders.push(path)
      else if (kind === "odd" && opened.has(name)) found.push(path)
    }
    yield* Effect.yieldNow()
  }
  return found
})

const patience = "2 seconds"

/**
 * Gives work up that waits for such a file. Nothing is looked for while git is as fast as it should be. The look ends with the
 * work also where changes are being merged, which cannot be interrupted.
 */
export const watched = <A, R>(root: string, work: Effect.Effect<A, WorktreeFailed, R>) =>
  Effect.raceFirst(
    work,
    Effect.flatMap(Effect.interruptible(Effect.delay(oddFiles(root), patience)), ([path]) =>
      path === undefined
        ? Effect.interruptible(Effect.never)
        : new WorktreeFailed({
            reason: "odd_file",
            message: `${LocalPaths.relative(root, path)} is no regular file, so git would wait for it. Remove it, and try again.`
          })
    )
  )
