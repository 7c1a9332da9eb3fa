/** Finds skills: folders with a file SKILL.md, and single Markdown files (protocol.md 11.4, extensions.md 6). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { SourceInfo } from "../../domain/extension/SourceInfo.ts"
import { defined } from "../../domain/Values.ts"
import * as LocalPaths from "../platform/files/LocalPaths.ts"
import * as ReadText from "../platform/files/ReadText.ts"
import * as FrontMatter from "./FrontMatter.ts"
import type { Finding } from "./Notes.ts"
import type { ResourcePath } from "./ResourcePaths.ts"
import * as SkillWalk from "./SkillWalk.ts"

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

export const mostSkills = 1000
/** As in the specification of Agent Skills. */
const longestDescription = 1024
const longestName = 64
const isName = (name: string) => name.length <= longestName && /^[^\s/\\\p{Cc}]+$/u.test(name)

/** Undefined where the file is no skill. A loose file without a description may be anything, so it is left out silently. */
const readSkill = Effect.fnUntraced(function* (
  { look, notes }: Finding,
  { isLinked, path }: SkillWalk.Candidate,
  place: ResourcePath
) {
  const isLoose = !SkillWalk.isSkillFile(LocalPaths.basename(path))
  // Whether a file without links is inside of the project is clear, and asking takes as long as reading it.
  const options = defined({ within: isLinked ? place.within : undefined })
  const read = yield* Effect.either(ReadText.headIfPresent(look.files, path, options))
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
    ...defined({ argumentHint: hint?.slice(0, longestDescription) }),
    isForModels: data["disable-model-invocation"] !== true,
    sourceInfo: { ...place.origin, path },
    ...defined({ within: place.within })
  }
  return skill
})

/** How many files are read before other fibers get their turn. */
const batch = 50

/** Of skills with the same name the first one counts. */
export const find = Effect.fnUntraced(function* (finding: Finding, places: ReadonlyArray<ResourcePath>) {
  const { notes } = finding
  const skills = new Map<string, Skill>()
  const read = new Set<string>()
  for (const place of places) {
    for (const candidate of yield* SkillWalk.find(finding, place, mostSkills)) {
      const { path } = candidate
      if (read.has(path)) continue
      if (skills.size === mostSkills) {
        notes.add(path, `was left out, and all skills after it: there are more than ${mostSkills}`)
        return [...skills.values()]
      }
      read.add(path)
      if (read.size % batch === 0) yield* Effect.yieldNow()
      const skill = yield* readSkill(finding, candidate, place)
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
