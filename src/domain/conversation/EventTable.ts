/**
 * The events of a session: the type and the sentence by which hosts know each, and its members in the order of its frame.
 * AgentEvent.ts has their types; rpc adds the frames whose members are not those of the event.
 */
import * as Schema from "effect/Schema"
import { ApprovalRequest, approvalResolved } from "../approvals/Question.ts"
import { BudgetScopeName, BudgetSnapshot } from "../budget/BudgetSnapshot.ts"
import { CompactionReason, CompactionResult } from "../compaction/CompactionResult.ts"
import { Model, ThinkingLevel } from "../model/Model.ts"
import { RuleInfo } from "../rules/Rule.ts"
import { SubagentInfo } from "../subagents/Subagent.ts"
import { AttemptStatus, VerificationResult } from "../subagents/Verification.ts"
import { TodoItem, TodoPhase } from "../todo/Todo.ts"
import { described, JsonObject, optional } from "./Content.ts"
import { AssistantMessage, RunMessage, ToolOutput, ToolResultMessage } from "./Message.ts"
import { RequestId } from "./MessageQueue.ts"

const event = <Fields extends Schema.Struct.Fields>(type: string, summary: string, fields: Fields) => ({
  type,
  summary,
  fields
})

const runId = Schema.String
const index = Schema.Int.pipe(Schema.nonNegative())

export const RunFailure = Schema.Struct({
  message: Schema.String,
  provider: optional(Schema.String),
  model: optional(Schema.String),
  httpStatus: optional(Schema.Int, "The status that the provider answered with."),
  code: optional(Schema.Literal("budget_exceeded", "no_price")),
  retryable: described(Schema.Boolean, "Whether the same prompt may succeed later.")
}).annotations({ identifier: "RunFailure", description: "Why a run failed." })

/** A slash command as hosts show it. */
const CommandInfo = Schema.Struct({
  name: Schema.String,
  description: optional(Schema.String),
  argumentHint: optional(Schema.String),
  source: Schema.Literal("extension", "prompt", "skill")
})

/** `clientMessageId` is that of a user message. */
const messageRef = { messageId: Schema.String, clientMessageId: optional(Schema.String), runId: optional(runId) }
const tool = { toolCallId: Schema.String, toolName: Schema.String }
const retry = {
  attempt: Schema.Int,
  maxAttempts: Schema.Int,
  delayMs: Schema.Finite,
  errorMessage: Schema.String
}
/** `handoff` continues in a new session that starts with the summary. */
const compaction = { reason: CompactionReason, action: Schema.Literal("context-full", "handoff") }
const compactionRef = { compactionId: Schema.String, runId: optional(runId) }
const verification = { id: Schema.String, attempt: Schema.Int }
const budget = { scope: BudgetScopeName, id: optional(Schema.String), snapshot: BudgetSnapshot }

/** In the order of the reference. */
export const events = {
  RunStarted: event("agent_start", "A run starts.", { runId }),
  RunEnded: event(
    "agent_end",
    "The run has ended; `messages` are all messages made in it, in order. `sessionFile` is the file that has them.",
    { messages: Schema.Array(RunMessage), runId }
  ),
  TurnStarted: event("turn_start", "A turn starts: the messages that it adds and the model call follow.", {
    turnIndex: index,
    timestamp: Schema.Finite,
    runId
  }),
  TurnEnded: event(
    "turn_end",
    "The assistant message and all its tool results are final; results in the order of the calls.",
    { message: AssistantMessage, toolResults: Schema.Array(ToolResultMessage), turnIndex: index, runId }
  ),
  MessageStarted: event(
    "message_start",
    "A message begins; an assistant message starts empty. A custom message that joins the conversation outside a run has no `runId`.",
    { message: RunMessage, ...messageRef }
  ),
  MessageUpdated: event(
    "message_update",
    "A step of the assistant message that is streaming; in delta form without `message` and `partial`, after `set_event_filter` with only the `role` of the message.",
    { messageId: Schema.String, runId }
  ),
  MessageEnded: event("message_end", "The message is final and stored.", { message: RunMessage, ...messageRef }),
  ToolStarted: event("tool_execution_start", "A tool call starts, or gets its result without being run.", {
    ...tool,
    args: JsonObject,
    runId
  }),
  ToolUpdated: event("tool_execution_update", "Progress of a tool call; `partialResult` is all output so far.", {
    ...tool,
    args: JsonObject,
    partialResult: ToolOutput,
    runId
  }),
  ToolEnded: event(
    "tool_execution_end",
    "A tool call has its result; in the dialect `pi-early` that of a failed call is its text.",
    { ...tool, result: ToolOutput, isError: Schema.Boolean, durationMs: Schema.Finite, runId }
  ),
  ApprovalRequested: event(
    "approval_request",
    "Asks whether an effect may happen; answer with `approval_response`, or wait: without an answer until `deadline` it does not happen. See [approvals.md](approvals.md).",
    ApprovalRequest.fields
  ),
  ApprovalResolved: event(
    "approval_resolved",
    "The question is over, exactly once for each: `decision` is `deny` also after its deadline, an abort and the loss of the host.",
    approvalResolved
  ),
  RetryScheduled: event(
    "auto_retry_start",
    "A failed model call is tried again after `delayMs`; `attempt` counts from 1.",
    { ...retry, runId }
  ),
  RetryEnded: event("auto_retry_end", "Retrying has ended: with an answer, or with `finalError`.", {
    success: Schema.Boolean,
    attempt: Schema.Int,
    finalError: optional(Schema.String),
    runId
  }),
  FallbackApplied: event(
    "retry_fallback_applied",
    "Another model of `retry.fallbackChains` takes over from one that failed.",
    { from: Schema.String, to: Schema.String, role: Schema.String, runId }
  ),
  FallbackSucceeded: event("retry_fallback_succeeded", "The model that took over has answered.", {
    model: Schema.String,
    role: Schema.String,
    runId
  }),
  RulesTriggered: event(
    "ttsr_triggered",
    "Stream rules have cut the model's answer off: it ends as `aborted`, and the next turn tells the model these rules. See [rules.md](rules.md).",
    { rules: Schema.Array(RuleInfo), runId }
  ),
  CompactionStarted: event(
    "auto_compaction_start",
    "The older part of the conversation is about to be replaced by a summary.",
    { ...compaction, ...compactionRef }
  ),
  /** `willRetry` says whether the agent repeats the model call that did not fit. */
  CompactionEnded: event(
    "auto_compaction_end",
    "The same for hosts that know this name; not sent for the command `compact`.",
    {
      ...compaction,
      result: optional(CompactionResult),
      aborted: Schema.Boolean,
      willRetry: Schema.Boolean,
      errorMessage: optional(Schema.String),
      skipped: optional(Schema.Boolean),
      ...compactionRef
    }
  ),
  SummaryRetryScheduled: event(
    "summarization_retry_scheduled",
    "The call for a summary failed and is made again after `delayMs`.",
    retry
  ),
  SummaryRetryStarted: event(
    "summarization_retry_attempt_start",
    "The wait has ended, and the call for a summary is made again.",
    { source: Schema.Literal("compaction", "branchSummary"), reason: optional(CompactionReason) }
  ),
  SummaryRetryFinished: event(
    "summarization_retry_finished",
    "The call for a summary has succeeded, or is not retried any more.",
    {}
  ),
  /** `changed` has the `messageId`s of the messages that were queued, delivered, edited, moved or removed. */
  QueueChanged: event(
    "queue_update",
    "The queue has changed; the frame has all of it. `steering` and `followUp` are the texts of the user; `items` and `counts` include custom messages, whose `items` have `custom`. Of more than 100 messages it has `counts`, the `items` that are new or changed and the ids of those `removed`; `get_queue` has all. A message leaves the queue right before its `message_start`.",
    { changed: Schema.Array(Schema.String) }
  ),
  TodoReminder: event(
    "todo_reminder",
    "The model has stopped with open `todos`, and the run continues with a hidden reminder.",
    { todos: Schema.Array(TodoItem), attempt: Schema.Int, maxAttempts: Schema.Int, runId }
  ),
  /** By the tool of the model, by the host or an extension, or because finished tasks have left it. */
  TodosChanged: event("todo_update", "The todo list has changed; `phases` is all of it.", {
    phases: Schema.Array(TodoPhase),
    by: Schema.Literal("model", "host", "clear")
  }),
  TodosCleared: event("todo_auto_clear", "Finished tasks have left the todo list; `get_state` has what is left.", {}),
  SubagentStarted: event(
    "subagent_start",
    "A subagent is about to start; `id` names it in all frames and commands. See [hosts/subagents.md](hosts/subagents.md#subagents).",
    { subagent: SubagentInfo, isolated: Schema.Boolean }
  ),
  SubagentEnded: event("subagent_end", "The subagent has ended, and its work was verified if that was asked for.", {
    subagent: SubagentInfo,
    exitCode: Schema.Int,
    verification: optional(VerificationResult)
  }),
  SubagentProgressed: event("subagent_progress", "How far a subagent has come; after `set_subagent_subscription`.", {
    subagent: SubagentInfo
  }),
  SubagentSaid: event(
    "subagent_event",
    "An event of the subagent's own session, as its frame would be but without `sessionId`, `epoch` and `seq`; updates are in delta form. After `set_subagent_subscription` with the level `events`.",
    { id: Schema.String }
  ),
  VerificationStarted: event(
    "subagent_verification_start",
    "The work of a subagent is about to be verified; `attempt` counts from 1.",
    { ...verification, profile: optional(Schema.String) }
  ),
  VerificationCommandStarted: event("subagent_verification_command_start", "A command of the verification starts.", {
    ...verification,
    commandName: Schema.String
  }),
  VerificationCommandEnded: event(
    "subagent_verification_command_end",
    "The command has ended; `artifactId` is the file with its output, if there was any.",
    {
      ...verification,
      commandName: Schema.String,
      exitCode: Schema.Int,
      durationMs: Schema.Finite,
      artifactId: optional(Schema.String)
    }
  ),
  VerificationEnded: event(
    "subagent_verification_end",
    "All commands of the attempt have ended. A failed attempt may be followed by a repair and another attempt.",
    { ...verification, status: AttemptStatus }
  ),
  BudgetWarning: event(
    "budget_warning",
    "A limit is near; `snapshot.reason` says which. `id` names the subagent or the task call, where `scope` is not `session`.",
    budget
  ),
  BudgetSpent: event(
    "budget_exceeded",
    "A limit is reached, and nothing more is started that would go beyond it. See [hosts/subagents.md](hosts/subagents.md#budgets).",
    budget
  ),
  /**
   * Published once for each accepted prompt, and once more each time the host sends it again. `sessionSettled` is false while
   * a run goes on that does not belong to this prompt. A prompt that was removed from the queue had no run.
   */
  PromptFinished: event("prompt_result", "How an accepted prompt ended: one for each, with the id of its request.", {
    requestId: optional(RequestId),
    status: Schema.Literal("completed", "aborted", "error"),
    error: optional(RunFailure),
    sessionSettled: Schema.Boolean,
    runId: optional(runId)
  }),
  /** No queued message continues the run. */
  RunSettled: event("agent_settled", "No fiber or process of the run is left.", { aborted: Schema.Boolean, runId }),
  SessionSettled: event("session_settled", "The session does nothing until the host sends a command.", {}),
  EntryAppended: event("entry_appended", "An extension has stored an entry of its own.", {}),
  ModelChanged: event("model_changed", "The model has changed.", { model: Model }),
  ThinkingLevelChanged: event(
    "thinking_level_changed",
    "The thinking level has changed; both members have the same value.",
    { level: ThinkingLevel }
  ),
  SessionNamed: event(
    "session_info_changed",
    "The name of the session, absent if it has none. Sent when the name or the session changes.",
    { name: optional(Schema.String) }
  ),
  /** Published once for changes that come together. */
  CommandsChanged: event(
    "available_commands_update",
    "The slash commands, after the start if there are any, and when they change.",
    { commands: Schema.Array(CommandInfo) }
  ),
  /** `event` is the hook point at which code of an extension or of another contributor failed, or what else it was called for. */
  ExtensionFailed: event(
    "extension_error",
    "A failure outside the run. When a slash command fails, `extensionPath` is `command:<name>` and `event` is `command`. When the session cannot be stored, or only in another file, `extensionPath` is `session` and `event` is `persist`; when a record could not be encoded as it is, they are `rpc` and `encode`, and the record came before it with a text in place of what could not be encoded. `location` says where code of an extension failed, as `file:line:column`.",
    {
      extensionPath: Schema.String,
      event: Schema.String,
      error: Schema.String,
      location: optional(Schema.String)
    }
  ),
  Notice: event(
    "notice",
    "A message for people. When the session cannot be stored (`error`), or only in another file (`warning`), `source` is `session-persistence`; when parts of a project that is not trusted were left out, it is `trust`; when settings were ignored, it is `settings`; when a question to the user got its default because the host cannot answer it, it is `ui`.",
    { level: Schema.Literal("info", "warning", "error"), message: Schema.String, source: Schema.String }
  )
}
