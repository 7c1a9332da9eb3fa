/** What a subagent is told whose work failed its verification. Pure. */
import type { VerificationCommandResult } from "../../domain/subagents/Verification.ts"
import type { Ran } from "./CommandRun.ts"

const outcome = ({ exitCode, timedOut }: VerificationCommandResult): string =>
  timedOut === true ? "timed out" : `exit code ${exitCode}`

/** Longer than any row of backticks in the text, which could end the block otherwise. */
const fenceFor = (text: string): string => {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length))
  return "`".repeat(Math.max(3, longest + 1))
}

const block = (text: string): string => {
  const fence = fenceFor(text)
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

const shown = ({ context, result }: Ran): string => {
  const text = context.content === "" ? (result.outputPreview ?? "") : context.content
  if (text === "") return "It printed nothing."
  const title = context.truncated ? `The last ${context.outputLines} of ${context.totalLines} lines` : "All"
  return `${title} of its output:\n\n${block(text)}`
}

const section = (ran: Ran): string =>
  `## ${ran.result.name}\n\nCommand:\n\n${block(ran.result.command)}\n\n${shown(ran)}`

export const make = (task: string, failed: ReadonlyArray<Ran>): string =>
  [
    "Your work on the task below is done, but it failed its verification. The worktree is as you left it.",
    `# Original task\n\n${task}`,
    `# Failed checks\n\n${failed.map(({ result }) => `- ${result.name}: ${outcome(result)}`).join("\n")}`,
    ...failed.map(section),
    "# What to do\n\nFix only what makes these checks fail. Change nothing else, and do not weaken or remove the checks. They run again when you are done."
  ].join("\n\n")
