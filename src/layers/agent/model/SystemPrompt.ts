/**
 * The instructions a model works under. They change only with the active tools that say something in them, so provider
 * caches keep their prefix.
 */
import type { Tool } from "../../../services/Tools.ts"

export interface SystemPromptOptions {
  readonly cwd: string
  readonly replace?: string
  readonly append?: string
}

export type SystemPrompt = (tools: ReadonlyArray<Tool>) => string

const builtIn = `You are heddle, a coding agent that works in a user's project through tools.

- Look before you answer: read the files a question is about instead of guessing what they say.
- Use the tools for every fact about the project; call several at once when they do not depend on each other.
- Say what you did and what you found in plain words, with file paths. Say so when something failed or is unknown.`

const section = (title: string, lines: ReadonlyArray<string>) =>
  lines.length === 0 ? undefined : [`${title}:`, ...new Set(lines)].join("\n")

/** What the tools say of themselves, beside their descriptions. */
const sections = (tools: ReadonlyArray<Tool>) => [
  section(
    "Tools for special purposes",
    tools.flatMap(({ definition, prompt }) =>
      prompt?.snippet === undefined ? [] : [`- ${definition.name}: ${prompt.snippet}`]
    )
  ),
  section(
    "Rules for these tools",
    tools.flatMap(({ prompt }) => prompt?.guidelines?.map((line) => `- ${line}`) ?? [])
  )
]

/** Instructions that replace the built-in ones are complete: tools add nothing to them. */
export const render = ({ append, cwd, replace }: SystemPromptOptions, tools: ReadonlyArray<Tool>): string =>
  [...(replace === undefined ? [builtIn, ...sections(tools)] : [replace]), append, `Working directory: ${cwd}`]
    .filter((part) => part !== undefined)
    .join("\n\n")

/** Renders again when the list of tools is another one. */
export const make = (options: SystemPromptOptions): SystemPrompt => {
  let [said, shown]: [string, ReadonlyArray<Tool>?] = [""]
  return (tools) => {
    if (tools !== shown) [said, shown] = [render(options, tools), tools]
    return said
  }
}
