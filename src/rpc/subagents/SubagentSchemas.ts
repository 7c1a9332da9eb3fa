/** Schemas of the records of subagents and budgets, for the reference and the tests. SubagentFrames.ts writes the records. */
import * as Schema from "effect/Schema"
import { BudgetScopeName, BudgetSnapshot } from "../../domain/budget/BudgetSnapshot.ts"
import { JsonObject, optional } from "../../domain/conversation/Content.ts"
import { AgentSource, SubagentProgress } from "../../domain/subagents/Subagent.ts"
import { AttemptStatus, VerificationResult } from "../../domain/subagents/Verification.ts"

const id = Schema.String
const attempt = { id, attempt: Schema.Int }
const ref = {
  index: Schema.Int,
  agent: Schema.String,
  agentSource: AgentSource,
  sessionFile: optional(Schema.String),
  parentToolCallId: optional(Schema.String)
}
const budget = { scope: BudgetScopeName, id: optional(Schema.String), snapshot: BudgetSnapshot }

export const subagentEvents = [
  {
    type: "subagent_start",
    summary:
      "A subagent is about to start; `id` names it in all frames and commands. See [hosts/subagents.md](hosts/subagents.md#subagents).",
    fields: { id, agent: Schema.String, isolated: Schema.Boolean }
  },
  {
    type: "subagent_end",
    summary: "The subagent has ended, and its work was verified if that was asked for.",
    fields: { id, agent: Schema.String, exitCode: Schema.Int, verification: optional(VerificationResult) }
  },
  {
    type: "subagent_lifecycle",
    summary: "The same two moments for hosts of the omp family; after `set_subagent_subscription`.",
    fields: {
      payload: Schema.Struct({
        id,
        ...ref,
        description: optional(Schema.String),
        status: Schema.Literal("started", "completed", "failed", "aborted")
      })
    }
  },
  {
    type: "subagent_progress",
    summary: "How far a subagent has come; after `set_subagent_subscription`.",
    fields: {
      payload: Schema.Struct({
        ...ref,
        task: Schema.String,
        assignment: optional(Schema.String),
        progress: SubagentProgress
      })
    }
  },
  {
    type: "subagent_event",
    summary:
      "An event of the subagent's own session, as its frame would be but without `sessionId`, `epoch` and `seq`; updates are in delta form. After `set_subagent_subscription` with the level `events`.",
    fields: { payload: Schema.Struct({ id, event: JsonObject }) }
  },
  {
    type: "subagent_verification_start",
    summary: "The work of a subagent is about to be verified; `attempt` counts from 1.",
    fields: { ...attempt, profile: optional(Schema.String) }
  },
  {
    type: "subagent_verification_command_start",
    summary: "A command of the verification starts.",
    fields: { ...attempt, commandName: Schema.String }
  },
  {
    type: "subagent_verification_command_end",
    summary: "The command has ended; `artifactId` is the file with its output, if there was any.",
    fields: {
      ...attempt,
      commandName: Schema.String,
      exitCode: Schema.Int,
      durationMs: Schema.Finite,
      artifactId: optional(Schema.String)
    }
  },
  {
    type: "subagent_verification_end",
    summary:
      "All commands of the attempt have ended. A failed attempt may be followed by a repair and another attempt.",
    fields: { ...attempt, status: AttemptStatus }
  },
  {
    type: "budget_warning",
    summary:
      "A limit is near; `snapshot.reason` says which. `id` names the subagent or the task call, where `scope` is not `session`.",
    fields: budget
  },
  {
    type: "budget_exceeded",
    summary:
      "A limit is reached, and nothing more is started that would go beyond it. See [hosts/subagents.md](hosts/subagents.md#budgets).",
    fields: budget
  }
] as const
