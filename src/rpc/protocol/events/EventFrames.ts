/** Session events as the host sees them (protocol.md 4.1, supplement 2.1): their members in EventTable.ts, or those made here. */
import * as AgentEvent from "../../../domain/conversation/AgentEvent.ts"
import { events } from "../../../domain/conversation/EventTable.ts"
import { toJson } from "../../../domain/session/SessionEntry.ts"
import { defined } from "../../../domain/Values.ts"
import { available } from "../../slash/Shapes.ts"
import * as SubagentFrames from "../../subagents/SubagentFrames.ts"
import * as CompactionFrames from "./CompactionFrames.ts"
import { queueUpdate } from "./QueueFrames.ts"

const ownPoints = {
  sessionStarted: "session_start",
  sessionEnding: "session_shutdown",
  leaving: "session_before_switch",
  branching: "session_before_branch",
  navigating: "session_before_tree",
  navigated: "session_tree",
  compacting: "session_before_compact",
  compacted: "session_compact",
  resources: "resources_discover",
  runStarting: "before_agent_start",
  providerRequest: "before_provider_request",
  providerResponse: "after_provider_response",
  messageEnding: "message_end",
  toolCall: "tool_call",
  toolResult: "tool_result",
  userCommand: "user_bash",
  ModelChanged: "model_select",
  ThinkingLevelChanged: "thinking_level_select"
}

const names: ReadonlyMap<string, string> = new Map([
  ...Object.entries(events).map(([tag, { type }]) => [tag, type] as const),
  ...Object.entries(ownPoints)
])

/** What a hook point is called on the wire (protocol.md 11.4). Others have the name that they were reported with. */
const hookName = (point: string): string => names.get(point) ?? point

/** All events but streaming updates, which UpdateFrames.ts writes, and those that the writer handles itself. */
export type ControlEvent = Exclude<
  AgentEvent.AgentEvent,
  { readonly _tag: "MessageUpdated" | "SessionChanged" | "SessionNamed" | "SubagentSaid" }
>

/** A new name is sent in the frames of two families of hosts. The session's id is on every record. */
export const nameFrames = (name: string | undefined): ReadonlyArray<object> => [
  { type: "session_info_changed", ...defined({ name }) },
  { type: "session_info_update", ...defined({ title: name }) }
]

/** Messages of extensions that were not taken are sent as the failure of a command that was never sent (protocol.md 11.4). */
const failedSends: ReadonlySet<string> = new Set(["extension_send", "extension_send_user"])

/** The end markers that hosts of some families wait for (supplement 4.2): nothing is retried or left in background. */
const terminal = { willRetry: false, isTerminal: true, yielded: true } as const

/** What frames say of the session beside its events. */
export interface FrameContext {
  readonly sessionFile?: string | undefined
  readonly subagents?: SubagentFrames.Level
}

/** The frame of an event. */
export type ToFrames = (event: ControlEvent) => ReadonlyArray<object>

const failedSend = ({ error, event, extensionPath }: AgentEvent.EventOf<"ExtensionFailed">): object => ({
  type: "response",
  command: event,
  success: false,
  error,
  code: "not_sent",
  extensionPath
})

/** The members of an event's only frame. The encoder leaves out absent members. */
const frameMembers = (event: AgentEvent.Described, { sessionFile }: FrameContext): object => {
  switch (event._tag) {
    case "RunEnded":
      return { messages: event.messages, ...terminal, sessionFile, runId: event.runId }
    case "ToolEnded": {
      const { durationMs, isError, result, runId, toolCallId, toolName } = event
      return { toolCallId, toolName, result, isError, isWarning: result.isWarning || undefined, durationMs, runId }
    }
    case "PromptFinished": {
      const { error, requestId: id, runId, sessionSettled, status } = event
      return { id, agentInvoked: runId !== undefined, status, error, sessionSettled, runId }
    }
    case "QueueChanged":
      return queueUpdate(event.queue, event.changed)
    case "EntryAppended":
      return { entry: toJson(event.entry) }
    case "ThinkingLevelChanged":
      return { level: event.level, thinkingLevel: event.level }
    case "CommandsChanged":
      return { commands: event.commands.map(available) }
    case "ExtensionFailed":
      return AgentEvent.members({ ...event, event: hookName(event.event) })
    default:
      return AgentEvent.members(event)
  }
}

/** One frame for each event, but two for an automatic compaction, and up to two for a step of a subagent. */
export const toFrames = (event: ControlEvent, context: FrameContext): ReadonlyArray<object> => {
  switch (event._tag) {
    case "CompactionStarted":
    case "CompactionEnded":
      return CompactionFrames.toFrames(event)
    case "SubagentStarted":
    case "SubagentEnded":
    case "SubagentProgressed":
      return SubagentFrames.toFrames(event, context.subagents ?? "off")
    case "PersistFailed":
      return [{ type: "extension_error", extensionPath: "session", event: "persist", error: event.error }]
    case "ExtensionFailed":
      if (failedSends.has(event.event)) return [failedSend(event)]
  }
  return [{ type: AgentEvent.typeOf(event), ...frameMembers(event, context) }]
}
