/**
 * Whether effects may happen: the one question before every tool call, command of the user and command of a verification. A
 * reference: in a session without its module (layers/session/modules/approvals) everything may happen.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ApprovalRequest, ApprovalTool, Decision, DenialDetails, Refs } from "../domain/approvals/Question.ts"
import type { HostChange } from "../domain/approvals/PolicySources.ts"
import type { Mode, Rules } from "../domain/approvals/Policy.ts"
import type { JsonObject } from "../domain/conversation/Content.ts"
import type { ApprovalAnswer } from "./host/Approvers.ts"
import type { Escalated } from "./machine/Sandbox.ts"
import type { Preview, ToolContext, ToolFailure } from "./Tools.ts"

export interface EffectAsked {
  readonly tool: ApprovalTool
  /** Frozen: what is asked about is what runs. */
  readonly args: JsonObject
  readonly refs: Refs
  /** Where it happens, if not in the folder of the session. */
  readonly cwd?: string
  /** Fails where the effect would end before it begins. */
  readonly preview?: Effect.Effect<Preview | undefined, ToolFailure>
  /** Told, where somebody was asked and has allowed it, whether it runs in the sandbox. */
  readonly decided?: (escalation: Escalated) => void
  /** Says what the effect comes to if it is interrupted while somebody is asked. */
  readonly orInterrupted?: ToolContext["orInterrupted"]
}

/** Why an effect does not happen. */
export interface Denial {
  /** For the model, or the user. */
  readonly text: string
  readonly code: "denied" | "approval_timeout" | "approval_unavailable"
  readonly details: DenialDetails
}

/** An answer that was not taken. `data` says how the question ended, if it has. */
export class AnswerRefused extends Schema.TaggedError<AnswerRefused>()("AnswerRefused", {
  reason: Schema.Literal("unknown_approval", "already_resolved", "invalid_decision", "args_changed"),
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {}

/** A change of the policy that was not made. */
export class PolicyRefused extends Schema.TaggedError<PolicyRefused>()("PolicyRefused", {
  reason: Schema.Literal("approvals_fixed", "invalid_params"),
  message: Schema.String
}) {}

export interface HostAnswer extends Omit<ApprovalAnswer, "decision"> {
  readonly approvalId: string
  /** Undefined for one that there is not. */
  readonly decision: Decision | undefined
  /** What the host was shown, if it says so. */
  readonly argsHash?: string
}

export interface SessionApprovals {
  /** Whether anything is judged at all. Until then nothing is loaded for it. */
  readonly isInForce: () => boolean
  /** Whether a command can ask to leave a sandbox, which is judged whatever else is. */
  readonly guardsSandbox: () => boolean
  readonly mode: () => Mode
  /** Returns when the effect may happen, or why it may not. An interrupt withdraws the question. */
  readonly judge: (asked: EffectAsked) => Effect.Effect<Denial | undefined, ToolFailure>
  /** The questions that are open, in their order. */
  readonly open: () => ReadonlyArray<ApprovalRequest>
  /** Takes the answer of a host. `accepted` runs before anything comes of it. */
  readonly answer: (answer: HostAnswer, accepted: Effect.Effect<void>) => Effect.Effect<void, AnswerRefused>
  /** Changes what the host says, and judges open questions again. */
  readonly change: (change: HostChange) => Effect.Effect<Rules, PolicyRefused>
  /** The same, for what a subagent of the session does in this folder. */
  readonly below: (subagentId: string, cwd: string) => SessionApprovals
}

export const none: SessionApprovals = {
  isInForce: () => false,
  guardsSandbox: () => false,
  mode: () => "off",
  judge: () => Effect.succeed(undefined),
  open: () => [],
  answer: ({ approvalId }) =>
    new AnswerRefused({ reason: "unknown_approval", message: `Nobody was asked ${approvalId}` }),
  change: () =>
    new PolicyRefused({ reason: "approvals_fixed", message: "This session is made without approvals: they stay off" }),
  below: () => none
}

export class Approvals extends Context.Reference<Approvals>()("heddle/services/Approvals", {
  defaultValue: () => none
}) {}

/** What a process says about approvals beside its settings. */
export interface Conditions {
  /** The mode of the command line, which a host cannot loosen. */
  readonly fixedMode?: Mode
  /** The mode of the project, if that is stricter than the user's. */
  readonly projectMode?: Mode
  /** The folder of heddle's own files. Default: nothing of the user is there. */
  readonly agentDir?: string
  readonly sessionsDir?: string
  /** What else nobody may read unasked. */
  readonly hidden?: ReadonlyArray<string>
}

export class ApprovalConditions extends Context.Reference<ApprovalConditions>()(
  "heddle/services/Approvals/ApprovalConditions",
  { defaultValue: (): Conditions => ({}) }
) {}
