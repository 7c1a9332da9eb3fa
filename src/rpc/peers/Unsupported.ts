/**
 * Commands that current programs of other families have and heddle does not (supplement 5.3(5)). They fail at once with their
 * `id`: a client that has not negotiated would wait 30 seconds for the answer to an unknown command.
 */
import type { RequestId } from "../../domain/conversation/AgentEvent.ts"
import * as Frame from "../protocol/Frame.ts"

const thinkingLevel = "Choose a thinking level with set_thinking_level."
const key = 'Store a key with "heddle auth set <provider>" or set the variable of the provider.'

/** By name, with what a host can do instead. */
export const unsupported: ReadonlyMap<string, string> = new Map([
  ["get_login_providers", `heddle cannot log in to accounts. ${key}`],
  ["login", `heddle cannot log in to accounts. ${key}`],
  ["set_fast_mode", `heddle has no fast mode. ${thinkingLevel}`],
  ["handoff", 'Set compaction.strategy to "handoff": a compaction then continues in a new session.'],
  ["goal", "Send the goal in a prompt, or as tasks with set_todos."],
  ["set_ask_dialog", "Questions of the tool ask come as extension_ui_request."],
  ["set_host_uri_schemes", "Register a tool that reads the addresses with set_host_tools."],
  ["set_cache_warming", "heddle sends nothing to keep the cache of a provider warm."],
  ["predict_word", "heddle does not predict what the user types."],
  ["predict_word_feedback", "heddle does not predict what the user types."]
])

export const refusal = (command: string, id: RequestId | undefined): Frame.Response | undefined => {
  const instead = unsupported.get(command)
  if (instead === undefined) return undefined
  return Frame.failure(command, id, `Unsupported command: ${command}. ${instead}`, "unsupported")
}
