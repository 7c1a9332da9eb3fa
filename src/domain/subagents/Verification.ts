/** What was checked after an isolated task, and how it came out (protocol.md 14.5). */
import * as Schema from "effect/Schema"
import { optional } from "../conversation/Content.ts"
import { lazy } from "../Lazy.ts"

export const OnFailure = Schema.Literal("return_failure", "discard_patch", "retry_once")
export type OnFailure = typeof OnFailure.Type

export const VerificationCommandResult = lazy(() =>
  Schema.Struct({
    name: Schema.String,
    command: Schema.String,
    /** 124 where the time was over. */
    exitCode: Schema.Int,
    durationMs: Schema.Finite,
    optional: optional(Schema.Boolean),
    timedOut: optional(Schema.Boolean),
    artifactPath: optional(Schema.String),
    /** The last lines of the output. */
    outputPreview: optional(Schema.String)
  }).annotations({ identifier: "VerificationCommandResult" })
)
export type VerificationCommandResult = Schema.Schema.Type<ReturnType<typeof VerificationCommandResult>>

export const AttemptStatus = Schema.Literal("passed", "failed", "skipped", "budget_exceeded")
export type AttemptStatus = typeof AttemptStatus.Type

export const VerificationAttempt = lazy(() =>
  Schema.Struct({
    attempt: Schema.Int,
    status: AttemptStatus,
    /** Unix milliseconds. */
    startedAt: Schema.Finite,
    endedAt: Schema.Finite,
    commandResults: Schema.Array(VerificationCommandResult()),
    error: optional(Schema.String)
  }).annotations({ identifier: "VerificationAttemptResult" })
)
export type VerificationAttempt = Schema.Schema.Type<ReturnType<typeof VerificationAttempt>>

export const VerificationResult = lazy(() =>
  Schema.Struct({
    requested: Schema.Boolean,
    profile: optional(Schema.String),
    mode: optional(Schema.Literal("none", "command")),
    status: Schema.Literal("not_requested", "passed", "failed", "skipped"),
    attempts: Schema.Array(VerificationAttempt()),
    retriesUsed: Schema.Int,
    onFailure: optional(OnFailure)
  }).annotations({ identifier: "VerificationResult" })
)
export type VerificationResult = Schema.Schema.Type<ReturnType<typeof VerificationResult>>
