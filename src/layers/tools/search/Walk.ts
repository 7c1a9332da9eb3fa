/** Goes through a tree in the order of its names, without what .gitignore files exclude and without `.git`. */
import * as Effect from "effect/Effect"
import * as LocalPaths from "../../platform/files/LocalPaths.ts"
import * as TreeFiles from "../../platform/files/TreeFiles.ts"
import * as GitIgnore from "./GitIgnore.ts"

export interface Visited {
  readonly path: string
  /** Links are listed, not followed. */
  readonly kind: TreeFiles.Kind
}

export interface Walk {
  /** The next ones, about as many as asked for; none when the tree is at its end. */
  readonly next: (count: number) => Effect.Effect<ReadonlyArray<Visited>>
}

interface Frame {
  readonly folder: string
  readonly entries: ReadonlyArray<TreeFiles.Entry>
  readonly ignored: ReadonlyArray<GitIgnore.IgnoreFile>
  at: number
}

const fileName = ".gitignore"

const ignoreFile = (folder: string) =>
  Effect.map(TreeFiles.readText(LocalPaths.join(folder, fileName)), (text) =>
    text === undefined ? [] : [GitIgnore.parse(folder, text)]
  )

/** The files above the root count too, up to the top of the repository. */
const above = (root: string): Effect.Effect<ReadonlyArray<GitIgnore.IgnoreFile>> =>
  Effect.gen(function* () {
    if (yield* TreeFiles.exists(LocalPaths.join(root, ".git"))) return []
    const parent = LocalPaths.dirname(root)
    if (parent === root) return []
    return [...(yield* above(parent)), ...(yield* ignoreFile(parent))]
  })

const compare = (a: TreeFiles.Entry, b: TreeFiles.Entry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const open = Effect.fnUntraced(function* (folder: string, inherited: ReadonlyArray<GitIgnore.IgnoreFile>) {
  const entries = yield* TreeFiles.list(folder)
  const own = entries.some(({ name }) => name === fileName) ? yield* ignoreFile(folder) : []
  return { folder, entries: entries.toSorted(compare), ignored: [...inherited, ...own], at: 0 }
})

/** What cannot be read is left out. */
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
