/** What `offline/guide` writes when it is asked for a summary: what was asked, what was looked at, what was said last. Pure. */
import * as SummaryPrompts from "../../../domain/compaction/SummaryPrompts.ts"

const longestLine = 160
const mostLines = 12

const line = (text: string) => {
  const first = text.trim().split("\n", 1)[0] ?? ""
  return first.length > longestLine ? `${first.slice(0, longestLine)}…` : first
}

const list = (lines: ReadonlyArray<string>, mark: string): string => {
  const shown = lines.slice(-mostLines)
  const omitted = lines.length - shown.length
  const rows = shown.map((text) => `${mark}${text}`)
  return (omitted > 0 ? [`${mark}… (${omitted} earlier ones)`, ...rows] : rows).join("\n") || `${mark}(none)`
}

const said = (prompt: string, who: string): ReadonlyArray<string> =>
  [...prompt.matchAll(new RegExp(`^\\[${who}\\]: (.*(?:\\n(?!\\[[A-Z]|</).*)*)`, "gm"))].map(([, text = ""]) =>
    line(text)
  )

export const isAsked = (systemPrompt: string): boolean => systemPrompt === SummaryPrompts.system

export const write = (prompt: string): string => {
  if (prompt.startsWith("<summary>")) return "I looked at files and told what is in them."
  const asked = said(prompt, "User")
  const calls = said(prompt, "Assistant tool calls")
  const answers = said(prompt, "Assistant")
  if (prompt.includes("## Original Request")) {
    return `## Original Request\n${asked[0] ?? "(unknown)"}\n\n## Early Progress\n${list(calls, "- ")}\n\n## Context for Suffix\n- (none)`
  }
  return [
    `## Goal\n${list(asked, "- ")}`,
    "## Constraints & Preferences\n- (none)",
    `## Progress\n### Done\n${list(calls, "- [x] ")}\n\n### In Progress\n- [ ] (none)\n\n### Blocked\n- (none)`,
    "## Key Decisions\n- (none)",
    "## Next Steps\n1. (none)",
    `## Critical Context\n- ${answers.at(-1) ?? "(none)"}`,
    "## Additional Notes\nWritten by fixed rules, not by a language model."
  ].join("\n\n")
}
