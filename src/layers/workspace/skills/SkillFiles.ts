/** Finds skills: folders with a file SKILL.md, and single Markdown files (protocol.md 11.4, extensions.md 6). */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SourceInfo } from "../../../domain/extension/SourceInfo.ts"
import { defined } from "../../../domain/Values.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { FolderEntry } from "../../machine/files/folders/FolderEntries.ts"
import * as FrontMatter from "./FrontMatter.ts"
import * as Notes from "../context/Notes.ts"
import type { ResourcePath } from "./ResourcePaths.ts"

/** The files in a folder that may be skills. A folder with a SKILL.md is one skill, whatever is below it. */
interface Candidate {
  readonly path: string
  /** A link leads to it, so it may be anywhere. */
  readonly isLinked: boolean
}

const deepest = 8

const isMarkdown = (name: string) => /\.md$/i.test(name)
const isSkillFile = (name: string) => name === "SKILL.md"

const isLooked = ({ kind, name }: FolderEntry) => kind === "folder" && !name.startsWith(".") && name !== "node_modules"

const isBelow = (path: string, root: string) => `${path}/`.startsWith(root.endsWith("/") ? root : `${root}/`)

interface Start {
  /** The folder, and the project that it has to be in, both without links. */
  readonly real: string
  readonly root: string | undefined
  /** More are not looked for. */
  readonly most: number
}

const make = ({ look, notes }: Notes.Finding, source: ResourcePath, { most, real: start, root }: Start) => {
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
      if (depth === 0 && source.hasLooseFiles) {
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
const findCandidates = Effect.fnUntraced(function* (finding: Notes.Finding, source: ResourcePath, most: number) {
  const { look, notes } = finding
  const state = yield* Effect.orElseSucceed(look.files.state(source.path), () => undefined)
  if (state === undefined) {
    if (source.isNamed) notes.add(source.path, "does not exist, so there are no skills in it")
    return []
  }
  if (state.isFile) return [{ path: source.path, isLinked: true }]
  const realOf = (path: string) => Effect.orElseSucceed(look.files.real(path), () => path)
  const real = yield* realOf(source.path)
  const root = source.within === undefined ? undefined : yield* realOf(source.within)
  const isAway = root !== undefined && !isBelow(real, root)
  return yield* make(finding, source, { real, root, most })(source.path, 0, isAway)
})

export interface Skill {
  readonly name: string
  readonly description: string
  readonly path: string
  /** Paths in the skill are relative to this folder. */
  readonly baseDir: string
  readonly argumentHint?: string
  /** Whether models see it. Otherwise only the user can invoke it. */
  readonly isForModels: boolean
  readonly sourceInfo: SourceInfo
  readonly within?: string
}

export const mostSkills = 1000
/** As in the specification of Agent Skills. */
const longestDescription = 1024
const longestName = 64
const isName = (name: string) => name.length <= longestName && /^[^\s/\\\p{Cc}]+$/u.test(name)

/** Undefined where the file is no skill. A loose file without a description may be anything, so it is left out silently. */
const readSkill = Effect.fnUntraced(function* (
  { look, notes }: Notes.Finding,
  { isLinked, path }: Candidate,
  source: ResourcePath
) {
  const isLoose = !isSkillFile(LocalPaths.basename(path))
  // Whether a file without links is inside of the project is clear, and asking takes as long as reading it.
  const options = defined({ within: isLinked ? source.within : undefined })
  const read = yield* Notes.head(look.files, notes, path, "the skill", options)
  if (read === undefined) return undefined
  const { data, problem } = FrontMatter.parse(read.text)
  const baseDir = LocalPaths.dirname(path)
  const name = FrontMatter.line(data, "name") ?? LocalPaths.basename(isLoose ? path.replace(/\.md$/i, "") : baseDir)
  const description = FrontMatter.line(data, "description")
  if (description === undefined) {
    if (!isLoose)
      notes.add(path, `has no description${problem === undefined ? "" : `: ${problem}`}, so the skill was left out`)
    return undefined
  }
  if (problem !== undefined) notes.add(path, `was read line by line: its ${problem}`)
  if (!isName(name)) {
    notes.add(path, `has a name that cannot be typed: use lower case letters, digits and "-", at most ${longestName}`)
    return undefined
  }
  const hint = FrontMatter.line(data, "argument-hint")
  return {
    name,
    description: description.slice(0, longestDescription),
    path,
    baseDir,
    ...defined({ argumentHint: hint?.slice(0, longestDescription) }),
    isForModels: data["disable-model-invocation"] !== true,
    sourceInfo: { ...source.origin, path },
    ...defined({ within: source.within })
  } satisfies Skill
})

/** How many files are read before other fibers get their turn. */
const batch = 50

/** Of skills with the same name the first one counts. */
export const find = Effect.fnUntraced(function* (finding: Notes.Finding, sources: ReadonlyArray<ResourcePath>) {
  const { notes } = finding
  const skills = new Map<string, Skill>()
  const read = new Set<string>()
  for (const source of sources) {
    for (const candidate of yield* findCandidates(finding, source, mostSkills)) {
      const { path } = candidate
      if (read.has(path)) continue
      if (skills.size === mostSkills) {
        notes.add(path, `was left out, and all skills after it: there are more than ${mostSkills}`)
        return [...skills.values()]
      }
      read.add(path)
      if (read.size % batch === 0) yield* Effect.yieldNow()
      const skill = yield* readSkill(finding, candidate, source)
      if (skill === undefined) continue
      const first = skills.get(skill.name)
      if (first === undefined) skills.set(skill.name, skill)
      else if (!(yield* isSame(finding, first.path, path)))
        notes.add(path, `was left out: ${first.path} has the name "${skill.name}", too`)
    }
  }
  return [...skills.values()]
})

/** One file may be found twice, by links. */
const isSame = ({ look }: Notes.Finding, a: string, b: string) =>
  Effect.map(
    Effect.option(Effect.all([look.files.real(a), look.files.real(b)])),
    Option.exists(([one, other]) => one === other)
  )
