/** How skills are written into prompts. */
import * as Text from "../../../../domain/Text.ts"

interface Skill {
  readonly name: string
  readonly description: string
  readonly filePath: string
  readonly disableModelInvocation?: boolean
}

const escape = (text: string) => Text.markup(text).replaceAll("'", "&apos;")

const entry = ({ description, filePath, name }: Skill) =>
  [
    "  <skill>",
    `    <name>${escape(name)}</name>`,
    `    <description>${escape(description)}</description>`,
    `    <location>${escape(filePath)}</location>`,
    "  </skill>"
  ].join("\n")

/** Leaves out the skills that only the user may invoke. */
export const formatSkillsForPrompt = (skills: ReadonlyArray<Skill>): string => {
  const shown = skills.filter(({ disableModelInvocation }) => disableModelInvocation !== true)
  if (shown.length === 0) return ""
  const introduction = "These skills hold instructions for certain tasks. Read the file of a skill before such a task."
  return `\n\n${introduction}\n\n<available_skills>\n${shown.map(entry).join("\n")}\n</available_skills>`
}

/** The parts of a message that invokes a skill; null for other messages. */
export const parseSkillBlock = (text: string) => {
  const found = /^<skill name="([^"]+)" location="([^"]+)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/.exec(text)
  if (found === null) return null
  const [, name, location, content, message] = found
  return { name, location, content, userMessage: message?.trim() || undefined }
}
