/**
 * Settings of subagents, their verification, budgets, and background jobs (protocol.md 14, 15). Those that are marked as
 * planned are reserved: the names and types are known, the features do not exist.
 */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { OnFailure } from "../../domain/subagents/Verification.ts"
import { count, countOrNone, flag, optionalSetting, setting, texts } from "./Setting.ts"

const limit = (description: string) => optionalSetting(Schema.Finite.pipe(Schema.positive()), description)

/** What is checked after an isolated task (protocol.md 14.5). */
export const VerificationProfile = Schema.Struct({
  mode: optional(Schema.Literal("none", "command", "lsp")),
  commands: optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.NonEmptyString,
        command: Schema.NonEmptyString,
        timeoutMs: optional(count),
        optional: optional(Schema.Boolean)
      })
    )
  ),
  maxRetries: optional(countOrNone),
  onFailure: optional(OnFailure)
})
export type VerificationProfile = typeof VerificationProfile.Type

export const fields = {
  "task.isolation.mode": setting(
    Schema.Literal("none", "worktree", "fuse-overlay", "fuse-projfs"),
    "Where isolated subagents work.",
    { default: "none", reset: true }
  ),
  "task.isolation.merge": setting(
    Schema.Literal("patch", "branch"),
    "How the changes of an isolated subagent come back.",
    { default: "patch", reset: true }
  ),
  "task.isolation.commits": setting(Schema.Literal("generic", "ai"), "Who words the commits of isolated subagents.", {
    default: "generic",
    reset: true
  }),
  "task.eager": flag(false, "Whether the model is urged to delegate work to subagents.", "reset"),
  "task.maxConcurrency": setting(count, "How many subagents run at the same time.", { default: 32, reset: true }),
  "task.maxRecursionDepth": setting(countOrNone, "How deep subagents may start subagents of their own.", {
    default: 2,
    reset: true
  }),
  "task.disabledAgents": setting(texts, "Agents that may not be started.", {
    default: [],
    reset: true
  }),
  "task.agentModelOverrides": setting(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "The model of an agent, by the agent's name.",
    { default: {}, reset: true }
  ),
  "async.enabled": flag(false, "Whether tools may run as background jobs.", "planned", "reset"),
  "async.maxJobs": setting(count, "How many background jobs run at the same time.", {
    default: 100,
    planned: true,
    reset: true
  }),
  "bash.autoBackground.enabled": flag(
    false,
    "Whether a command that takes long becomes a background job.",
    "planned",
    "reset"
  ),
  "bash.autoBackground.thresholdMs": setting(
    Schema.Finite.pipe(Schema.positive()),
    "After how long a command becomes a background job.",
    { default: 60_000, planned: true, reset: true }
  ),
  "task.verification.enabled": flag(false, "Whether isolated tasks are verified by default."),
  "task.verification.defaultProfile": setting(Schema.String, "The profile of tasks that name none.", { default: "" }),
  "task.verification.requireForIsolated": flag(
    false,
    "Whether every isolated task is verified, also where the model does not ask for it."
  ),
  "task.verification.maxRetries": setting(
    countOrNone,
    "How many times a subagent may repair what failed its verification.",
    { default: 1 }
  ),
  "task.verification.failureContextLineLimit": setting(count, "How many lines of a failed check a repair is shown.", {
    default: 200
  }),
  "task.verification.profiles": setting(
    Schema.Record({ key: Schema.String, value: VerificationProfile }),
    "Profiles of verification by name: `mode`, `commands`, `maxRetries`, `onFailure`.",
    { default: {} }
  ),
  "task.budget.maxWallTimeMs": limit("How long the runs of a session may take together."),
  "task.budget.maxInputTokens": limit("How many input tokens a session and its subagents may use."),
  "task.budget.maxOutputTokens": limit("How many output tokens a session and its subagents may use."),
  "task.budget.maxTotalTokens": limit("How many tokens a session and its subagents may use."),
  "task.budget.maxCostUsd": limit("What a session and its subagents may cost, in US dollars."),
  "task.budget.maxToolCalls": limit("How many tool calls a session and its subagents may make."),
  "task.budget.maxSubagents": limit("How many subagents a session may start."),
  "task.budget.maxTurns": limit("How many times a session and its subagents may call their models."),
  "task.budget.warnAtRatio": setting(
    Schema.Finite.pipe(Schema.between(0, 1)),
    "The share of a limit at which the host is warned.",
    { default: 0.8 }
  )
}
