/** Walks a tree in the order of names, leaving out `.git` and everything that .gitignore files exclude. */
import * as Effect from "effect/Effect"
import { type Entry, Files } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../../platform/files/LocalPaths.ts"
import * as GitIgnore from "./GitIgnore.ts"

export interface Visited {
  readonly path: string
  /** Links are listed, not followed. */
  readonly kind: Entry["kind"]
}

export interface Walk {
  /** About as many entries as asked for; none at the end of the tree. */
  readonly next: (count: number) => Effect.Effect<ReadonlyArray<Visited>, never, Files>
}

interface Frame {
  readonly folder: string
  readonly entries: ReadonlyArray<Entry>
  readonly ignored: ReadonlyArray<GitIgnore.IgnoreFile>
  at: number
}

const fileName = ".gitignore"

/** A longer file is not a list of patterns. */
const largestFile = 4 * 1024 * 1024

/** None when there is no file that can be read. */
const ignoreFile = Effect.fnUntraced(
  function* (folder: string) {
    const files = yield* Files
    const file = yield* files.open(LocalPaths.join(folder, fileName))
    if (file.size > largestFile) return []
    return [GitIgnore.parse(folder, new TextDecoder().decode(yield* file.readFirst(largestFile)))]
  },
  Effect.scoped,
  Effect.orElseSucceed((): ReadonlyArray<GitIgnore.IgnoreFile> => [])
)

/** The .gitignore files above the root, up to the top of the repository. */
const above = (root: string): Effect.Effect<ReadonlyArray<GitIgnore.IgnoreFile>, never, Files> =>
  Effect.gen(function* () {
    const files = yield* Files
    if (yield* Effect.isSuccess(files.realPath(LocalPaths.join(root, ".git")))) return []
    const parent = LocalPaths.dirname(root)
    if (parent === root) return []
    return [...(yield* above(parent)), ...(yield* ignoreFile(parent))]
  })

const compare = (a: Entry, b: Entry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const open = Effect.fnUntraced(function* (folder: string, inherited: ReadonlyArray<GitIgnore.IgnoreFile>) {
  const files = yield* Files
  const entries = yield* Effect.orElseSucceed(files.entries(folder), () => [])
  const own = entries.some(({ name }) => name === fileName) ? yield* ignoreFile(folder) : []
  return { folder, entries: entries.toSorted(compare), ignored: [...inherited, ...own], at: 0 }
})

/** Leaves out folders that cannot be read. */
export const make = Effect.fnUntraced(function* (root: string) {
  const stack: Array<Frame> = [yield* open(root, yield* above(root))]
  const next = Effect.fnUntraced(function* (count: number) {
    const visited: Array<Visited> = []
    while (visited.length < count) {
      const frame = stack.at(-1)
      if (frame === undefined) break
      const entry = frame.entries[frame.at++]
      if (entry === undefined) {
        stack.pop()
        continue
      }
      const { kind, name } = entry
      const path = LocalPaths.join(frame.folder, name)
      if (name === ".git" || GitIgnore.ignores(frame.ignored, path, kind === "directory")) continue
      visited.push({ path, kind })
      if (kind === "directory") stack.push(yield* open(path, frame.ignored))
    }
    return visited
  })
  return { next } satisfies Walk
})
