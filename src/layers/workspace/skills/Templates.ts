/** Prompt templates: Markdown files that become slash commands (protocol.md 11.4). */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { defined } from "../../../domain/Values.ts"
import * as Text from "../../../domain/Text.ts"
import { type SlashCommand, SlashCommandFailed } from "../../../services/session/modules/Commands.ts"
import * as LocalPaths from "../../machine/files/LocalPaths.ts"
import type { Files } from "../../machine/files/own/OwnFiles.ts"
import * as FrontMatter from "./FrontMatter.ts"
import * as Notes from "../context/Notes.ts"
import type { ResourcePath } from "./ResourcePaths.ts"
import * as SkillCommands from "./SkillCommands.ts"
import * as TemplateText from "./TemplateText.ts"

export const mostTemplates = 1000
const longestName = 64
const longestFirstLine = 100
const isName = (name: string) => name.length <= longestName && /^[^\s\p{Cc}]+$/u.test(name)

const expandWith = (files: Files, name: string, file: { readonly path: string; readonly within?: string }) =>
  Effect.fnUntraced(function* (args: string) {
    const body = yield* SkillCommands.readBody(files, name, file)
    return yield* Either.mapLeft(
      TemplateText.fill(body, args),
      (why) => new SlashCommandFailed({ command: name, message: why })
    )
  })

/** Without a description, a menu shows how the text begins. */
const firstLine = (body: string) => {
  const line =
    body
      .split("\n")
      .find((text) => text.trim() !== "")
      ?.trim() ?? ""
  return Text.clip(line, longestFirstLine)
}

const read = Effect.fnUntraced(function* (
  { look, notes }: Notes.Finding,
  path: string,
  { origin, within }: ResourcePath
) {
  const file = within === undefined ? { path } : { path, within }
  const head = yield* Notes.head(look.files, notes, path, "the prompt template", file)
  if (head === undefined) return undefined
  const { cutFrom = 0, text } = head
  const name = LocalPaths.basename(path).replace(/\.md$/i, "")
  if (cutFrom > SkillCommands.largest || !isName(name)) {
    const why = isName(name) ? `is larger than ${SkillCommands.largest / 1024} KiB` : "has a name that cannot be typed"
    notes.add(path, `${why}, so the prompt template was left out`)
    return undefined
  }
  const { body, data, problem } = FrontMatter.parse(text)
  if (problem !== undefined) notes.add(path, `was read line by line: its ${problem}`)
  const hint = FrontMatter.line(data, "argument-hint")
  return {
    name,
    description: FrontMatter.line(data, "description") ?? firstLine(body),
    ...defined({ argumentHint: hint }),
    source: "prompt",
    sourceInfo: { ...origin, path },
    action: { _tag: "Expand", expand: expandWith(look.files, name, file) }
  } satisfies SlashCommand
})

/** The Markdown files of a folder, not of those below it. */
const candidates = Effect.fnUntraced(function* ({ look, notes }: Notes.Finding, { isNamed, path }: ResourcePath) {
  const state = yield* Effect.orElseSucceed(look.files.state(path), () => undefined)
  if (state === undefined) {
    if (isNamed) notes.add(path, "does not exist, so there are no prompt templates in it")
    return []
  }
  if (state.isFile) return [path]
  const entries = yield* look.entries(path)
  return entries.filter(({ kind, name }) => kind !== "folder" && /\.md$/i.test(name)).map((entry) => entry.path)
})

/** Of templates with the same name the first one counts. */
export const find = Effect.fnUntraced(function* (finding: Notes.Finding, sources: ReadonlyArray<ResourcePath>) {
  const { notes } = finding
  const found = new Map<string, SlashCommand>()
  for (const source of sources) {
    for (const path of yield* candidates(finding, source)) {
      if (found.size === mostTemplates) {
        notes.add(path, `was left out, and all prompt templates after it: there are more than ${mostTemplates}`)
        return [...found.values()]
      }
      if (found.size % 50 === 0) yield* Effect.yieldNow()
      const template = yield* read(finding, path, source)
      if (template === undefined) continue
      const first = found.get(template.name)
      if (first === undefined) found.set(template.name, template)
      else if (first.sourceInfo.path !== path)
        notes.add(path, `was left out: ${first.sourceInfo.path} has the name "${template.name}", too`)
    }
  }
  return [...found.values()]
})
