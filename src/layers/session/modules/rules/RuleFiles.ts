/**
 * The rules in the folders of five conventions, in the order of protocol.md 13; the first of equal names wins. Rules are
 * instructions, so those of a project that is not trusted count, too. Their files are read like those of a stranger.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Guidance, StreamRule } from "../../../../domain/rules/Rule.ts"
import * as RuleParsing from "../../../../domain/rules/RuleParsing.ts"
import type { RuleSet } from "../../../../services/session/modules/Rules.ts"
import { isTrusted } from "../../../../services/Trust.ts"
import * as Look from "../../../pi/discovery/Look.ts"
import * as LocalPaths from "../../../machine/files/LocalPaths.ts"
import * as ReadText from "../../../machine/files/ReadText.ts"
import * as FrontMatter from "../../../workspace/skills/FrontMatter.ts"

export interface RuleFolders {
  readonly cwd: string
  readonly agentDir: string
}

const mostRules = 1000
const largestFile = 256 * 1024
/** Characters of all rules together. */
const largestTotal = 8 * 1024 * 1024

const isRuleFile = (name: string) => /\.mdc?$/.test(name)

const foldersOf = ({ agentDir, cwd }: RuleFolders) => [
  { path: `${cwd}/.heddle/rules`, isProject: true },
  { path: `${agentDir}/rules`, isProject: false },
  { path: `${cwd}/.cursor/rules`, isProject: true },
  { path: `${cwd}/.windsurf/rules`, isProject: true },
  { path: `${cwd}/.clinerules`, isProject: true }
]

interface RuleFile {
  readonly name: string
  readonly path: string
  readonly isProject: boolean
}

/** A `.clinerules` may be a single file. */
const filesIn = Effect.fnUntraced(function* (look: Look.Look, { isProject, path }: Omit<RuleFile, "name">) {
  const state = yield* Effect.orElseSucceed(look.files.state(path), () => undefined)
  if (state === undefined) return []
  if (state.isFile) return [{ name: LocalPaths.basename(path).replace(/^\./, ""), path, isProject }]
  const entries = yield* look.entries(path)
  return entries.flatMap((entry): ReadonlyArray<RuleFile> => {
    if (entry.kind === "folder" || !isRuleFile(entry.name)) return []
    return [{ name: entry.name.replace(/\.mdc?$/, ""), path: entry.path, isProject }]
  })
})

const find = Effect.fnUntraced(function* (look: Look.Look, folders: RuleFolders) {
  const byName = new Map<string, RuleFile>()
  for (const folder of foldersOf(folders)) {
    for (const file of yield* filesIn(look, folder)) {
      if (byName.has(file.name)) continue
      if (byName.size === mostRules) {
        look.report(file.path, `was left out: ${mostRules} other rules were found before it`)
        return byName
      }
      byName.set(file.name, file)
    }
  }
  return byName
})

export const read = Effect.fnUntraced(function* (folders: RuleFolders) {
  const look = yield* Look.make({ bounds: { inFolder: 2 * mostRules, inAll: 5 * mostRules } })
  const stranger = (yield* isTrusted) ? {} : { within: folders.cwd }
  const stream: Array<StreamRule> = []
  const guidance: Array<Guidance> = []
  let left = largestTotal
  for (const { isProject, name, path } of (yield* find(look, folders)).values()) {
    const options = { largest: largestFile, ...(isProject ? stranger : {}) }
    const text = yield* Effect.either(ReadText.readIfPresent(look.files, path, options))
    if (Either.isLeft(text)) {
      look.report(path, text.left.reason)
      continue
    }
    if (Option.isNone(text.right)) continue
    left -= text.right.value.length
    if (left < 0) {
      look.report(path, `was left out: all rules together have more than ${largestTotal / 1024 / 1024} MiB`)
      break
    }
    const { body, data, problem } = FrontMatter.parse(text.right.value)
    if (problem !== undefined) {
      look.report(path, `the rule is ignored: ${problem}`)
      continue
    }
    const parsed = RuleParsing.parse({ name, path, data, body }, (message) => look.report(path, message))
    if (parsed?._tag === "Stream") stream.push(parsed.rule)
    if (parsed?._tag === "Guidance") guidance.push(parsed.guidance)
  }
  return { stream, guidance, problems: yield* look.problems } satisfies RuleSet
})
