/** Finds skills: folders with a file SKILL.md, and single Markdown files (protocol.md 11.4, extensions.md 6). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { SourceInfo } from "../../services/Commands.ts"
import type { Look } from "../extensions/discovery/Look.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import type { FolderEntry } from "../platform/folders/FolderEntries.ts"
import * as FrontMatter from "./FrontMatter.ts"
import type { Notes } from "./Notes.ts"
import type { ResourcePath } from "./ResourcePaths.ts"

export interface Skill {
  readonly name: string
  readonly description: string
  readonly path: string
  /** Paths in the skill are relative to this folder. */
  readonly baseDir: string
  readonly argumentHint?: string
  /** Whether models are told of it. Otherwise only the user can invoke it. */
  readonly isForModels: boolean
  readonly sourceInfo: SourceInfo
  readonly within?: string
}

export interface Finding {
  readonly look: Look
  readonly notes: Notes
}

export const mostSkills = 1000
/** As in the specification of Agent Skills. */
const longestDescription = 1024
const longestName = 64
const deepest = 8
const isName = (name: string) => name.length <= longestName && /^[^\s/\\\p{Cc}]+$/u.test(name)

const optionalWithin = ({ within }: ResourcePath) => (within === undefined ? {} : { within })

const isMarkdown = (name: string) => /\.md$/i.test(name)
const isSkillFile = (name: string) => name === "SKILL.md"

/** Undefined where the file is no skill. A loose file without a description may be anything, so it is left out silently. */
const readSkill = Effect.fnUntraced(function* ({ look, notes }: Finding, path: string, place: ResourcePath) {
  const isLoose = !isSkillFile(LocalPaths.basename(path))
  const read = yield* Effect.either(ReadText.headIfPresent(look.files, path, optionalWithin(place)))
  if (Either.isLeft(read)) {
    notes.add(path, `${read.left.reason}, so the skill was left out`)
    return undefined
  }
  if (Option.isNone(read.right)) return undefined
  const { data, problem } = FrontMatter.parse(read.right.value.text)
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
  const skill: Skill = {
    name,
    description: description.slice(0, longestDescription),
    path,
    baseDir,
    ...(hint === undefined ? {} : { argumentHint: hint.slice(0, longestDescription) }),
    isForModels: data["disable-model-invocation"] !== true,
    sourceInfo: { path, ...place.origin },
    ...optionalWithin(place)
  }
  return skill
})

/** The files that may be skills. A folder with a SKILL.md is one skill, whatever is below it. */
const makeWalk = ({ look, notes }: Finding, place: ResourcePath, start: string) => {
  const seen = new Set([start])
  /** Whether a link may be followed: not out of the project, and not twice to the same folder. */
  const mayFollow = Effect.fnUntraced(function* ({ isLink, path }: FolderEntry) {
    if (!isLink) return true
    const real = yield* Effect.orElseSucceed(look.files.real(path), () => undefined)
    if (real === undefined || seen.has(real)) return false
    seen.add(real)
    if (place.within === undefined) return true
    const root = yield* Effect.orElseSucceed(look.files.real(place.within), () => undefined)
    const isInside = root !== undefined && `${real}/`.startsWith(root.endsWith("/") ? root : `${root}/`)
    if (!isInside) notes.add(path, "is a link that leads out of the project, so it was left out")
    return isInside
  })
  const walk = (folder: string, depth: number): Effect.Effect<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      const entries = yield* look.entries(folder)
      const own = entries.find(({ kind, name }) => kind !== "folder" && isSkillFile(name))
      if (own !== undefined) return [own.path]
      const loose =
        depth === 0 && place.hasLooseFiles
          ? entries.filter(({ kind, name }) => kind === "file" && isMarkdown(name))
          : []
      const found = loose.map(({ path }) => path)
      if (depth === deepest) return found
      for (const entry of entries) {
        if (entry.kind !== "folder" || entry.name.startsWith(".") || entry.name === "node_modules") continue
        if (found.length > mostSkills) break
        if (!(yield* mayFollow(entry))) continue
        for (const path of yield* walk(entry.path, depth + 1)) found.push(path)
      }
      return found
    })
  return walk
}

const candidates = Effect.fnUntraced(function* (finding: Finding, place: ResourcePath) {
  const { look, notes } = finding
  const state = yield* Effect.orElseSucceed(look.files.state(place.path), () => undefined)
  if (state === undefined) {
    if (place.isNamed) notes.add(place.path, "does not exist, so there are no skills in it")
    return []
  }
  if (state.isFile) return [place.path]
  const real = yield* Effect.orElseSucceed(look.files.real(place.path), () => place.path)
  return yield* makeWalk(finding, place, real)(place.path, 0)
})

/** How many files are read before other fibers get their turn. */
const batch = 50

/** Of skills with the same name the first one counts. */
export const find = Effect.fnUntraced(function* (finding: Finding, places: ReadonlyArray<ResourcePath>) {
  const { notes } = finding
  const skills = new Map<string, Skill>()
  const read = new Set<string>()
  for (const place of places) {
    for (const path of yield* candidates(finding, place)) {
      if (read.has(path)) continue
      if (skills.size === mostSkills) {
        notes.add(path, `was left out, and all skills after it: there are more than ${mostSkills}`)
        return [...skills.values()]
      }
      read.add(path)
      if (read.size % batch === 0) yield* Effect.yieldNow()
      const skill = yield* readSkill(finding, path, place)
      if (skill === undefined) continue
      const first = skills.get(skill.name)
      if (first === undefined) skills.set(skill.name, skill)
      else if (!(yield* isSame(finding, first.path, path)))
        notes.add(path, `was left out: ${first.path} has the name "${skill.name}", too`)
    }
  }
  return [...skills.values()]
})

/** One file may be found in two places, by links. */
const isSame = ({ look }: Finding, a: string, b: string) =>
  Effect.map(
    Effect.option(Effect.all([look.files.real(a), look.files.real(b)])),
    Option.exists(([one, other]) => one === other)
  )
