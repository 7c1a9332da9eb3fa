/** What was checked after an isolated task, and how it came out (protocol.md 14.5). */
import * as Schema from "effect/Schema"
import { described, optional } from "../conversation/Content.ts"

export const OnFailure = Schema.Literal("return_failure", "discard_patch", "retry_once")
export type OnFailure = typeof OnFailure.Type

export const VerificationCommandResult = Schema.Struct({
  name: Schema.String,
  command: Schema.String,
  exitCode: described(Schema.Int, "124 if the command timed out."),
  durationMs: Schema.Finite,
  optional: optional(Schema.Boolean, "A failure of this command does not fail the attempt."),
  timedOut: optional(Schema.Boolean),
  artifactPath: optional(Schema.String, "The file with the whole output."),
  outputPreview: optional(Schema.String, "The last lines of the output.")
}).annotations({
  identifier: "VerificationCommandResult",
  description: "The result of one command of a verification."
})
export type VerificationCommandResult = typeof VerificationCommandResult.Type

export const AttemptStatus = Schema.Literal("passed", "failed", "skipped", "budget_exceeded")
export type AttemptStatus = typeof AttemptStatus.Type

export const VerificationAttempt = Schema.Struct({
  attempt: Schema.Int,
  status: AttemptStatus,
  /** Unix milliseconds. */
  startedAt: Schema.Finite,
  endedAt: Schema.Finite,
  commandResults: Schema.Array(VerificationCommandResult),
  error: optional(Schema.String)
}).annotations({ identifier: "VerificationAttemptResult", description: "One attempt to verify a subagent's work." })
export type VerificationAttempt = typeof VerificationAttempt.Type

export const VerificationResult = Schema.Struct({
  requested: Schema.Boolean,
  profile: optional(Schema.String),
  mode: optional(Schema.Literal("none", "command")),
  status: Schema.Literal("not_requested", "passed", "failed", "skipped"),
  attempts: Schema.Array(VerificationAttempt),
  retriesUsed: described(Schema.Int, "How many times the subagent repaired its work."),
  onFailure: optional(OnFailure)
}).annotations({ identifier: "VerificationResult", description: "The verification of a subagent's work." })
export type VerificationResult = typeof VerificationResult.Type
