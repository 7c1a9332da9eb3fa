/** The module `pi-agent-core`: what it shares with the other two packages. Its agents and loops are stubs. */
import { nested } from "./PiCodingAgent.ts"

type Values = Readonly<Record<string, unknown>>

const shared = [
  "DEFAULT_COMPACTION_SETTINGS",
  "DEFAULT_MAX_BYTES",
  "DEFAULT_MAX_LINES",
  "GREP_MAX_LINE_LENGTH",
  "buildContextEntries",
  "buildSessionContext",
  "calculateContextTokens",
  "convertToLlm",
  "createBashTool",
  "createEditTool",
  "createReadTool",
  "createWriteTool",
  "estimateTokens",
  "formatSize",
  "getLastAssistantUsage",
  "serializeConversation",
  "sessionEntryToContextMessages",
  "shouldCompact",
  "truncateHead",
  "truncateLine",
  "truncateTail",
  "uuidv7"
]

const loops = ["Agent", "AgentHarness", "agentLoop", "agentLoopContinue", "runAgentLoop", "runAgentLoopContinue"]

export const make = (ai: Values, agent: Values): Values => ({
  ...Object.fromEntries(shared.map((name) => [name, agent[name] ?? ai[name]])),
  ...Object.fromEntries(loops.map((name) => [name, nested(name)])),
  utf8ByteLength: (text: string) => new TextEncoder().encode(text).length
})
