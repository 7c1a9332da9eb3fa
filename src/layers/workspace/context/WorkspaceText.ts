/** The part of the system prompt that comes from the machine and from files, in a fixed order. Pure. */
import * as Text from "../../../domain/Text.ts"
import type { ContextFile } from "./ContextFiles.ts"
import type { Skill } from "../skills/SkillFiles.ts"

/** A rule without a condition (protocol.md 13). */
export interface GuidanceRule {
  readonly name: string
  readonly path: string
  readonly description?: string
  readonly content: string
  /** Its text is in the prompt. Other rules are only named there. */
  readonly alwaysApply: boolean
}

export interface Surroundings {
  readonly cwd: string
  readonly platform: string
  readonly shell: string
  /** The day on which the session began: a resumed session keeps it, so that its prompt stays the same. */
  readonly date: string
  /** Undefined outside of repositories. */
  readonly git: string | undefined
}

export interface WorkspaceParts {
  readonly surroundings: Surroundings
  readonly contextFiles: ReadonlyArray<ContextFile>
  readonly rules: ReadonlyArray<GuidanceRule>
  readonly skills: ReadonlyArray<Skill>
}

const section = (title: string, lines: ReadonlyArray<string>) => [`# ${title}`, ...lines].join("\n")

const environment = ({ cwd, date, git, platform, shell }: Surroundings) =>
  section("Environment", [
    `- Working directory: ${cwd}`,
    `- Platform: ${platform}, shell: ${shell}`,
    `- Date when this session began: ${date}`,
    ...(git === undefined ? [] : [`- Git when this session began: ${git}`])
  ])

/** The text of a file cannot end the tag that it stands in. */
const tagged = (tag: string, path: string, content: string) =>
  [`<${tag} path="${Text.attribute(path)}">`, content.replaceAll(`</${tag}`, `< /${tag}`), `</${tag}>`].join("\n")

const instructions = (files: ReadonlyArray<ContextFile>) =>
  section("Instructions of the user and the project", [
    "Follow these files as if the user had said what they say. Where they disagree, the later file counts, and what the user says in the conversation counts more than any file.",
    ...files.map(({ content, isCut, path }) => {
      const rest = isCut ? "\n[This file is longer. Read it to see the rest.]" : ""
      return `\n${tagged("instructions", path, content + rest)}`
    })
  ])

/** Characters of rules that always apply, and of the lists of rules and of skills. */
const mostRuleText = 96 * 1024
const mostList = 48 * 1024

/** As many of the entries as fit, and how many are left. */
const fitting = <A>(entries: ReadonlyArray<A>, most: number, render: (entry: A) => string) => {
  const lines: Array<string> = []
  let left = most
  for (const entry of entries) {
    const line = render(entry)
    left -= line.length
    if (left < 0) break
    lines.push(line)
  }
  return { lines, rest: entries.length - lines.length }
}

const isLater = ({ alwaysApply }: GuidanceRule) => !alwaysApply

const rulesText = (rules: ReadonlyArray<GuidanceRule>) => {
  const always = fitting(
    rules.filter(({ alwaysApply }) => alwaysApply),
    mostRuleText,
    ({ content, path }) => `\n${tagged("rule", path, content.trim())}`
  )
  const others = fitting(
    rules.filter(isLater),
    mostList,
    ({ description, name, path }) => `- ${name}${description === undefined ? "" : `: ${description}`} (${path})`
  )
  const hasMore = always.rest + others.rest
  return section("Rules of the project", [
    ...always.lines,
    ...(others.lines.length === 0
      ? []
      : [
          "",
          "These rules are for certain work. Read the file of a rule before you do work that it is about:",
          ...others.lines
        ]),
    ...(hasMore === 0 ? [] : [`[${hasMore} more rules do not fit here.]`])
  ])
}

const skillsText = (skills: ReadonlyArray<Skill>) => {
  const { lines, rest } = fitting(
    skills,
    mostList,
    ({ description, name, path }) => `- ${name}: ${description} (${path})`
  )
  return section("Skills", [
    "A skill is a file of instructions for one kind of task. When a task fits the description of a skill, read its file before you begin, and resolve the paths in it against its folder.",
    "",
    ...lines,
    ...(rest === 0 ? [] : [`[${rest} more skills do not fit here.]`])
  ])
}

export const render = ({ contextFiles, rules, skills, surroundings }: WorkspaceParts): string => {
  const offered = skills.filter(({ isForModels }) => isForModels)
  return [
    environment(surroundings),
    ...(contextFiles.length === 0 ? [] : [instructions(contextFiles)]),
    ...(rules.length === 0 ? [] : [rulesText(rules)]),
    ...(offered.length === 0 ? [] : [skillsText(offered)])
  ].join("\n\n")
}
