/**
 * The instructions a model works under. They change only with the active tools, so provider caches keep their prefix. The
 * order is fixed: what is the same for all sessions comes first.
 */
import type { PromptOptions } from "../../../../services/session/SessionOptions.ts"
import type { Tool } from "../../../../services/Tools.ts"
import * as BuiltInPrompt from "./BuiltInPrompt.ts"

export type SystemPrompt = (tools: ReadonlyArray<Tool>) => string

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

const builtIn = (tools: ReadonlyArray<Tool>) =>
  BuiltInPrompt.render(new Set(tools.map(({ definition }) => definition.name)))

/** Instructions that replace the built-in ones are complete: tools add nothing to them. */
export const render = (options: PromptOptions, tools: ReadonlyArray<Tool>): string => {
  const { append, cwd, replace, workspace = `Working directory: ${cwd}` } = options
  return [...(replace === undefined ? [builtIn(tools), ...sections(tools)] : [replace]), append, workspace]
    .filter((part) => part !== undefined)
    .join("\n\n")
}

/** Renders again when the list of tools is another one. */
export const make = (options: PromptOptions): SystemPrompt => {
  let [said, shown]: [string, ReadonlyArray<Tool>?] = [""]
  return (tools) => {
    if (tools !== shown) [said, shown] = [render(options, tools), tools]
    return said
  }
}
