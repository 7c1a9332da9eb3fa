/** A subagent as hosts see it: what it is, how far it has come, and what it brought back (protocol.md 14.3). */
import * as Schema from "effect/Schema"
import { described, JsonObject, optional } from "../conversation/Content.ts"
import { Usage } from "../model/Usage.ts"
import { VerificationResult } from "./Verification.ts"

export const AgentSource = Schema.Literal("project", "user", "bundled")
export type AgentSource = typeof AgentSource.Type

export const SubagentStatus = Schema.Literal("pending", "running", "completed", "failed", "aborted")
export type SubagentStatus = typeof SubagentStatus.Type

export const SubagentProgress = Schema.Struct({
  index: described(Schema.Int, "The place of the task in its `task` call, from 0."),
  id: Schema.String,
  agent: Schema.String,
  status: SubagentStatus,
  task: described(Schema.String, "The whole prompt of the subagent."),
  description: optional(Schema.String),
  currentTool: optional(Schema.String),
  currentToolArgs: optional(Schema.String),
  recentTools: described(
    Schema.Array(Schema.Struct({ tool: Schema.String, args: Schema.String, endMs: Schema.Finite })),
    "The last tool calls that ended, newest first."
  ),
  recentOutput: described(Schema.Array(Schema.String), "The last lines that the subagent wrote."),
  toolCount: Schema.Int,
  tokens: Schema.Finite,
  durationMs: Schema.Finite
}).annotations({ identifier: "SubagentProgress", description: "The progress of a subagent." })
export type SubagentProgress = typeof SubagentProgress.Type

export const SubagentResult = Schema.Struct({
  index: Schema.Int,
  id: Schema.String,
  agent: Schema.String,
  agentSource: AgentSource,
  /** The whole assignment of the subagent. */
  task: Schema.String,
  assignment: optional(Schema.String),
  description: optional(Schema.String),
  exitCode: Schema.Int,
  output: Schema.String,
  stderr: Schema.String,
  truncated: Schema.Boolean,
  durationMs: Schema.Finite,
  tokens: Schema.Finite,
  modelOverride: optional(Schema.String),
  error: optional(Schema.String),
  aborted: optional(Schema.Boolean),
  abortReason: optional(Schema.String),
  usage: optional(Usage),
  /** Of the subagent and of everything below it. */
  spent: optional(Schema.Struct({ toolCalls: Schema.Int, subagents: Schema.Int, turns: Schema.Int })),
  outputPath: optional(Schema.String),
  patchPath: optional(Schema.String),
  branchName: optional(Schema.String),
  outputMeta: optional(Schema.Struct({ lineCount: Schema.Int, charCount: Schema.Int })),
  /** What `submit_result` was given, where the task has an output schema. */
  data: optional(Schema.Unknown),
  verification: optional(VerificationResult)
}).annotations({ identifier: "SubagentResult" })
export type SubagentResult = typeof SubagentResult.Type

/** A subagent that runs. */
export const SubagentInfo = Schema.Struct({
  id: Schema.String,
  index: described(Schema.Int, "The place of the task in its `task` call, from 0."),
  agent: Schema.String,
  agentSource: described(AgentSource, "Where the agent is defined."),
  description: optional(Schema.String),
  status: SubagentStatus,
  task: optional(Schema.String),
  assignment: optional(Schema.String),
  sessionFile: optional(Schema.String),
  /** Unix milliseconds. */
  lastUpdate: Schema.Finite,
  progress: optional(SubagentProgress),
  parentToolCallId: optional(Schema.String)
}).annotations({ identifier: "SubagentInfo", description: "A running subagent." })
export type SubagentInfo = typeof SubagentInfo.Type

/** Whole lines of a transcript from one byte on. */
export const TranscriptPart = Schema.Struct({
  sessionFile: Schema.String,
  fromByte: Schema.Int,
  nextByte: Schema.Int,
  /** The file was shorter than `fromByte`, so this begins at its start. */
  reset: Schema.Boolean,
  entries: Schema.Array(JsonObject),
  messages: Schema.Array(Schema.Unknown)
})
export type TranscriptPart = typeof TranscriptPart.Type
