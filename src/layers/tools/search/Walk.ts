/** Walks a tree in the order of names, leaving out `.git` and everything that .gitignore files exclude. */
import * as Effect from "effect/Effect"
import { type Entry, Files } from "../../../services/machine/Files.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import * as GitIgnore from "./GitIgnore.ts"

export interface Visited {
  readonly path: string
  /** Links are listed, not followed. */
  readonly kind: Entry["kind"]
}

export interface Walk {
  /** About as many entries as asked for; none at the end of the tree. */
  readonly next: (count: number) => Effect.Effect<ReadonlyArray<Visited>, never, Files>
  /** Whether an ignore file so far was a device, a FIFO or a link to one, at which another program would hang. */
  readonly hasMetTrap: () => boolean
}

interface Frame {
  readonly folder: string
  readonly entries: ReadonlyArray<Entry>
  readonly ignored: Rules
  at: number
}

const fileName = ".gitignore"

/** A longer file is not a list of patterns. */
const largestFile = 4 * 1024 * 1024

type Rules = ReadonlyArray<GitIgnore.IgnoreFile>

/** None when there is no regular file that can be read. */
const ignoreFile = (folder: string, onTrap: () => void): Effect.Effect<Rules, never, Files> =>
  Effect.gen(function* () {
    const files = yield* Files
    const file = yield* files.open(LocalPaths.join(folder, fileName))
    if (file.size > largestFile) return []
    return [GitIgnore.parse(folder, new TextDecoder().decode(yield* file.readFirst(largestFile)))]
  }).pipe(
    Effect.scoped,
    Effect.catchAll(({ reason }) => {
      if (reason === "not_regular") onTrap()
      return Effect.succeed([])
    })
  )

/** The .gitignore files above the root, up to the top of the repository. */
const above = (root: string, onTrap: () => void): Effect.Effect<Rules, never, Files> =>
  Effect.gen(function* () {
    const files = yield* Files
    if (yield* Effect.isSuccess(files.realPath(LocalPaths.join(root, ".git")))) return []
    const parent = LocalPaths.dirname(root)
    if (parent === root) return []
    return [...(yield* above(parent, onTrap)), ...(yield* ignoreFile(parent, onTrap))]
  })

const compare = (a: Entry, b: Entry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const open = Effect.fnUntraced(function* (folder: string, inherited: Rules, onTrap: () => void) {
  const files = yield* Files
  const entries = yield* Effect.orElseSucceed(files.entries(folder), () => [])
  const kind = entries.find(({ name }) => name === fileName)?.kind
  const found = kind === undefined ? [] : yield* ignoreFile(folder, onTrap)
  // Like git, which does not follow a link of that name: it may lead out of the folder.
  const own = kind === "link" ? [] : found
  return { folder, entries: entries.toSorted(compare), ignored: [...inherited, ...own], at: 0 }
})

/** Leaves out folders that cannot be read. */
export const make = Effect.fnUntraced(function* (root: string) {
  let trapped = false
  const onTrap = () => {
    trapped = true
  }
  const stack: Array<Frame> = [yield* open(root, yield* above(root, onTrap), onTrap)]
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
      if (kind === "directory") stack.push(yield* open(path, frame.ignored, onTrap))
    }
    return visited
  })
  return { next, hasMetTrap: () => trapped } satisfies Walk
})
