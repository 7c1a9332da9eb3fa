/** What hook points are called on the wire (protocol.md 11.4). */
import { events } from "../../domain/conversation/EventTable.ts"

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

/** Others have the name that they were reported with. */
export const hookName = (point: string): string => names.get(point) ?? point
