/** The prompts of a subagent: its instructions, its task, and what is missing when it stops too early. Pure. */
import type { AgentDefinition } from "../../../../domain/subagents/AgentDefinition.ts"

const handingBack = [
  "You work for another agent, not for a person: nobody answers questions.",
  "When the task is done, call the tool submit_result once with everything that agent needs to know, because it sees nothing else of your work.",
  "If the task cannot be done, call submit_result with `error` and say why."
].join(" ")

interface ChildFolders {
  readonly cwd: string
  readonly copyOf: string | undefined
}

/** The instructions of the agent in place of the built-in ones. */
export const instructions = ({ prompt }: AgentDefinition, { copyOf, cwd }: ChildFolders) => ({
  replace: `${prompt}\n\n${handingBack}`,
  ...(copyOf === undefined
    ? {}
    : {
        append: `You work in a copy of the repository, at ${cwd}. Where instructions name ${copyOf}, use the copy: only what you change there is taken over.`
      })
})

export const task = (context: string | undefined, assignment: string): string =>
  context === undefined || context.trim() === "" ? assignment : `${context}\n\n${assignment}`

export const mostReminders = 3

export const reminder = (attempt: number): string =>
  `You stopped without calling submit_result. Call it now with your result, or with \`error\` if the task cannot be done. (Reminder ${attempt}/${mostReminders})`

export const neverSubmitted = `SYSTEM WARNING: Subagent exited without calling submit_result tool after ${mostReminders} reminders.`

export const commitMessage =
  "Reply with a commit message for your changes and nothing else: a subject of at most 72 characters, an empty line, and a short body. Call no tools."
