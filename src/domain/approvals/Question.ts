/** A question whether an effect may happen, as hosts see it and as sessions remember it (supplement 6.2). */
import * as Schema from "effect/Schema"
import { described, JsonObject, optional } from "../conversation/Content.ts"
import { RequestId } from "../conversation/MessageQueue.ts"
import { RiskCode, RiskLevel } from "./risk/Codes.ts"
import { Rule } from "./Rule.ts"

export const Decision = Schema.Literal("allow_once", "allow_session", "allow_rule", "escalate", "deny").annotations({
  identifier: "ApprovalDecision",
  description: "An answer to the question whether an effect may happen."
})
export type Decision = typeof Decision.Type

export const DecidedBy = Schema.Literal("host", "mirror", "policy", "deadline", "abort", "disconnect").annotations({
  identifier: "DecidedBy",
  description: "Who or what has decided about an effect."
})
export type DecidedBy = typeof DecidedBy.Type

export const Source = Schema.Literal("builtin", "mcp", "host", "extension", "user", "verification")
export type Source = typeof Source.Type

export const ApprovalTool = Schema.Struct({
  name: Schema.String,
  source: Source,
  server: optional(Schema.String, "The MCP server that has the tool.")
}).annotations({ identifier: "ApprovalTool", description: "What is about to have an effect." })
export type ApprovalTool = typeof ApprovalTool.Type

export const FileDiff = Schema.Struct({
  path: described(Schema.String, "Relative to the working folder if it is inside, else absolute."),
  kind: Schema.Literal("create", "modify", "delete"),
  unified: Schema.String,
  truncated: Schema.Boolean
}).annotations({ identifier: "FileDiff", description: "What a call would do to a file." })
export type FileDiff = typeof FileDiff.Type

/** As `risk/Risk.ts` finds it. */
export const ApprovalRisk = Schema.Struct({ level: RiskLevel, codes: Schema.Array(RiskCode) }).annotations({
  identifier: "ApprovalRisk",
  description: "What may go wrong if the effect happens. More codes may come."
})

/** Where in a session an effect belongs. A call of the model has the first three, a command of the user `requestId`. */
export const refs = {
  runId: optional(Schema.String),
  turnId: optional(Schema.String),
  toolCallId: optional(Schema.String),
  requestId: optional(RequestId, "The id of the command `bash`."),
  subagentId: optional(Schema.String)
}
export type Refs = Schema.Struct.Type<typeof refs>

export const ApprovalRequest = Schema.Struct({
  approvalId: Schema.String,
  ...refs,
  tool: ApprovalTool,
  args: described(JsonObject, "What runs, exactly as it is here."),
  cwd: Schema.String,
  diff: optional(Schema.Array(FileDiff)),
  risk: ApprovalRisk,
  reason: Schema.String,
  rule: optional(Rule, "The rule that `allow_rule` makes."),
  choices: Schema.Array(Decision),
  onTimeout: Schema.Literal("deny"),
  createdAt: Schema.Finite,
  deadline: described(Schema.Finite, "Unix milliseconds."),
  argsHash: described(
    Schema.String,
    '`"sha256:"` and the SHA-256 of `args` in the JSON Canonicalization Scheme (RFC 8785).'
  )
}).annotations({ identifier: "ApprovalQuestion", description: "An effect that waits for an answer." })
export type ApprovalRequest = typeof ApprovalRequest.Type

export const approvalResolved = { approvalId: Schema.String, decision: Decision, by: DecidedBy }

/** What the result of a call that was not allowed says about that, in `details.approval`. */
export interface DenialDetails {
  readonly approvalId?: string
  readonly decision: "deny"
  readonly by: DecidedBy
  readonly reason: string
  readonly rule?: string
  readonly message?: string
  readonly argsHash: string
}

/** The type of the entries that remember questions and denials. They permit nothing. */
export const entryType = "heddle.approval"

/** The data of such an entry. */
export const ApprovalRecord = Schema.Struct({
  approvalId: optional(Schema.String),
  toolCallId: optional(Schema.String),
  requestId: optional(RequestId),
  subagentId: optional(Schema.String),
  tool: ApprovalTool,
  argsHash: Schema.String,
  decision: Decision,
  by: DecidedBy,
  rule: optional(Schema.String),
  message: optional(Schema.String),
  reason: Schema.String,
  risk: ApprovalRisk,
  createdAt: Schema.Finite,
  resolvedAt: Schema.Finite
})
export type ApprovalRecord = typeof ApprovalRecord.Type
