/**
 * Settings of subagents, their verification, budgets, and background jobs (protocol.md 14, 15). Those that are marked as
 * planned are reserved: the names and types are known, the features do not exist.
 */
import * as Schema from "effect/Schema"
import { optional } from "../../domain/conversation/Content.ts"
import { OnFailure } from "../../domain/subagents/Verification.ts"
import { setting } from "./Setting.ts"

const reset = { reset: true } as const
const plannedAndReset = { planned: true, reset: true } as const
const count = () => Schema.Int.pipe(Schema.positive())
const limit = (description: string) => optional(setting(Schema.Finite.pipe(Schema.positive()), description))

/** What is checked after an isolated task (protocol.md 14.5). */
export const VerificationProfile = Schema.Struct({
  mode: optional(Schema.Literal("none", "command", "lsp")),
  commands: optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.NonEmptyString,
        command: Schema.NonEmptyString,
        timeoutMs: optional(count()),
        optional: optional(Schema.Boolean)
      })
    )
  ),
  maxRetries: optional(Schema.Int.pipe(Schema.nonNegative())),
  onFailure: optional(OnFailure)
})
export type VerificationProfile = typeof VerificationProfile.Type

const running = () => ({
  "task.isolation.mode": setting(
    Schema.Literal("none", "worktree", "fuse-overlay", "fuse-projfs"),
    "Where isolated subagents work.",
    reset
  ),
  "task.isolation.merge": setting(
    Schema.Literal("patch", "branch"),
    "How the changes of an isolated subagent come back.",
    reset
  ),
  "task.isolation.commits": setting(
    Schema.Literal("generic", "ai"),
    "Who words the commits of isolated subagents.",
    reset
  ),
  "task.eager": setting(Schema.Boolean, "Whether the model is urged to delegate work to subagents.", reset),
  "task.maxConcurrency": setting(count(), "How many subagents run at the same time.", reset),
  "task.maxRecursionDepth": setting(
    Schema.Int.pipe(Schema.nonNegative()),
    "How deep subagents may start subagents of their own.",
    reset
  ),
  "task.disabledAgents": setting(Schema.Array(Schema.String), "Agents that may not be started.", reset),
  "task.agentModelOverrides": setting(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "The model of an agent, by the agent's name.",
    reset
  ),
  "async.enabled": setting(Schema.Boolean, "Whether tools may run as background jobs.", plannedAndReset),
  "async.maxJobs": setting(count(), "How many background jobs run at the same time.", plannedAndReset),
  "bash.autoBackground.enabled": setting(
    Schema.Boolean,
    "Whether a command that takes long becomes a background job.",
    plannedAndReset
  ),
  "bash.autoBackground.thresholdMs": setting(
    Schema.Finite.pipe(Schema.positive()),
    "After how long a command becomes a background job.",
    plannedAndReset
  )
})

const protecting = () => ({
  "task.verification.enabled": setting(Schema.Boolean, "Whether isolated tasks are verified by default."),
  "task.verification.defaultProfile": setting(Schema.String, "The profile of tasks that name none."),
  "task.verification.requireForIsolated": setting(
    Schema.Boolean,
    "Whether every isolated task is verified, also where the model does not ask for it."
  ),
  "task.verification.maxRetries": setting(
    Schema.Int.pipe(Schema.nonNegative()),
    "How many times a subagent may repair what failed its verification."
  ),
  "task.verification.failureContextLineLimit": setting(count(), "How many lines of a failed check a repair is shown."),
  "task.verification.profiles": setting(
    Schema.Record({ key: Schema.String, value: VerificationProfile }),
    "Profiles of verification by name: `mode`, `commands`, `maxRetries`, `onFailure`."
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
    "The share of a limit at which the host is warned."
  )
})

export const fields = () => ({ ...running(), ...protecting() })

export const defaults = {
  "task.isolation.mode": "none",
  "task.isolation.merge": "patch",
  "task.isolation.commits": "generic",
  "task.eager": false,
  "task.maxConcurrency": 32,
  "task.maxRecursionDepth": 2,
  "task.disabledAgents": [],
  "task.agentModelOverrides": {},
  "async.enabled": false,
  "async.maxJobs": 100,
  "bash.autoBackground.enabled": false,
  "bash.autoBackground.thresholdMs": 60_000,
  "task.verification.enabled": false,
  "task.verification.defaultProfile": "",
  "task.verification.requireForIsolated": false,
  "task.verification.maxRetries": 1,
  "task.verification.failureContextLineLimit": 200,
  "task.verification.profiles": {},
  "task.budget.warnAtRatio": 0.8
} as const
