/** What text mode says on stderr about a run: problems always, the rest to a person at a terminal. Pure. */
import { type AgentEvent, failureText } from "../../domain/conversation/AgentEvent.ts"
import { type JsonObject, plainText } from "../../domain/conversation/Content.ts"
import * as Text from "../../domain/Text.ts"

const longest = 100

const oneLine = (text: string): string => Text.name(text.trim().replaceAll(/\s+/g, " "), longest)

/** A tool with one argument, or with a command or a path, is told by it. */
const argumentsOf = (args: JsonObject): string => {
  const [first, ...more] = Object.values(args)
  const telling = args["command"] ?? args["path"] ?? (more.length === 0 ? first : undefined)
  return oneLine(typeof telling === "string" ? telling : JSON.stringify(args))
}

/** Undefined for what needs no line. */
export const line = (event: AgentEvent): string | undefined => {
  switch (event._tag) {
    case "ToolStarted":
      return `· ${event.toolName} ${argumentsOf(event.args)}`
    case "ToolEnded":
      return event.isError ? `  ${event.toolName} failed: ${oneLine(plainText(event.result.content))}` : undefined
    case "RetryScheduled":
      return `  ${oneLine(event.errorMessage)} Trying again in ${Math.ceil(event.delayMs / 1000)} s (${event.attempt} of ${event.maxAttempts}).`
    case "RulesTriggered":
      return "  A rule has cut this answer off; the model answers again."
    case "CompactionStarted":
      return "· compacting the conversation"
    case "SubagentStarted":
      return `· subagent ${event.subagent.id}`
    default:
      return undefined
  }
}

/** Told wherever stderr goes. */
export const problem = (event: AgentEvent): string | undefined => {
  switch (event._tag) {
    case "Notice":
      return event.level === "info" ? undefined : `heddle warn: ${event.message}`
    case "ExtensionFailed":
      return `heddle warn: the extension ${event.extensionPath} failed: ${failureText(event)}`
    default:
      return undefined
  }
}
