/** The files in a folder that may be skills. A folder with a SKILL.md is one skill, whatever is below it. */
import * as Effect from "effect/Effect"
import type { FolderEntry } from "../platform/folders/FolderEntries.ts"
import type { Finding } from "./Notes.ts"
import type { ResourcePath } from "./ResourcePaths.ts"

export interface Candidate {
  readonly path: string
  /** A link leads to it, so it may be anywhere. */
  readonly isLinked: boolean
}

const deepest = 8

const isMarkdown = (name: string) => /\.md$/i.test(name)
export const isSkillFile = (name: string) => name === "SKILL.md"

const isLooked = ({ kind, name }: FolderEntry) => kind === "folder" && !name.startsWith(".") && name !== "node_modules"

const isBelow = (path: string, root: string) => `${path}/`.startsWith(root.endsWith("/") ? root : `${root}/`)

interface Start {
  /** The folder, and the project that it has to be in, both without links. */
  readonly real: string
  readonly root: string | undefined
  /** More are not looked for. */
  readonly most: number
}

const make = ({ look, notes }: Finding, place: ResourcePath, { most, real: start, root }: Start) => {
  const seen = new Set([start])
  /** Whether a link may be followed: not out of the project, and not twice to the same folder. */
  const mayFollow = Effect.fnUntraced(function* (path: string) {
    const real = yield* Effect.orElseSucceed(look.files.real(path), () => undefined)
    if (real === undefined || seen.has(real)) return false
    seen.add(real)
    if (root === undefined || isBelow(real, root)) return true
    notes.add(path, "is a link that leads out of the project, so it was left out")
    return false
  })
  const walk = (folder: string, depth: number, isLinked: boolean): Effect.Effect<ReadonlyArray<Candidate>> =>
    Effect.gen(function* () {
      const entries = yield* look.entries(folder)
      const found: Array<Candidate> = []
      const take = ({ isLink, path }: FolderEntry) => found.push({ path, isLinked: isLinked || isLink })
      const own = entries.find(({ kind, name }) => kind !== "folder" && isSkillFile(name))
      if (own !== undefined) {
        take(own)
        return found
      }
      if (depth === 0 && place.hasLooseFiles) {
        for (const entry of entries) if (entry.kind === "file" && isMarkdown(entry.name)) take(entry)
      }
      if (depth === deepest) return found
      for (const entry of entries.filter(isLooked)) {
        if (found.length > most) break
        if (entry.isLink && !(yield* mayFollow(entry.path))) continue
        for (const below of yield* walk(entry.path, depth + 1, isLinked || entry.isLink)) found.push(below)
      }
      return found
    })
  return walk
}

/** `most` is how many anybody wants. */
export const find = Effect.fnUntraced(function* (finding: Finding, place: ResourcePath, most: number) {
  const { look, notes } = finding
  const state = yield* Effect.orElseSucceed(look.files.state(place.path), () => undefined)
  if (state === undefined) {
    if (place.isNamed) notes.add(place.path, "does not exist, so there are no skills in it")
    return []
  }
  if (state.isFile) return [{ path: place.path, isLinked: true }]
  const realOf = (path: string) => Effect.orElseSucceed(look.files.real(path), () => path)
  const real = yield* realOf(place.path)
  const root = place.within === undefined ? undefined : yield* realOf(place.within)
  const isAway = root !== undefined && !isBelow(real, root)
  return yield* make(finding, place, { real, root, most })(place.path, 0, isAway)
})
