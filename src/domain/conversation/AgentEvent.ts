/** The events of a session. rpc/protocol/EventFrames.ts turns them into frames. */
import type { AssistantDraft, Update } from "./AssistantDraft.ts"
import type { CompactionReason, CompactionResult } from "../compaction/CompactionResult.ts"
import type { JsonObject } from "./Content.ts"
import type { AssistantMessage, RunMessage, ToolOutput, ToolResultMessage } from "./Message.ts"
import type { MessageQueue, RequestId } from "./MessageQueue.ts"
import type { Model, ThinkingLevel } from "../model/Model.ts"
import type { RuleInfo } from "../rules/Rule.ts"
import type { CustomEntry } from "../session/SessionEntry.ts"
import type { BudgetScopeName, BudgetSnapshot } from "../budget/BudgetSnapshot.ts"
import type { SubagentInfo } from "../subagents/Subagent.ts"
import type { AttemptStatus, VerificationResult } from "../subagents/Verification.ts"
import type { TodoItem } from "../todo/Todo.ts"

export type { RequestId } from "./MessageQueue.ts"

export interface RunFailure {
  readonly message: string
  readonly provider?: string
  readonly model?: string
  readonly httpStatus?: number
  /** What ended the run, where hosts can tell by it what to do. */
  readonly code?: "budget_exceeded" | "no_price"
  readonly retryable: boolean
}

export type PromptStatus = "completed" | "aborted" | "error"

export type AgentEvent =
  | { readonly _tag: "RunStarted"; readonly runId: string }
  | { readonly _tag: "RunEnded"; readonly runId: string; readonly messages: ReadonlyArray<RunMessage> }
  | { readonly _tag: "TurnStarted"; readonly runId: string; readonly turnIndex: number; readonly timestamp: number }
  | {
      readonly _tag: "TurnEnded"
      readonly runId: string
      readonly turnIndex: number
      readonly message: AssistantMessage
      readonly toolResults: ReadonlyArray<ToolResultMessage>
    }
  | ({ readonly _tag: "MessageStarted"; readonly message: RunMessage } & MessageRef)
  | {
      readonly _tag: "MessageUpdated"
      readonly runId: string
      readonly messageId: string
      readonly draft: AssistantDraft
      readonly update: Update
    }
  | ({ readonly _tag: "MessageEnded"; readonly message: RunMessage } & MessageRef)
  | ({ readonly _tag: "ToolStarted"; readonly runId: string } & ToolRef)
  | ({ readonly _tag: "ToolUpdated"; readonly runId: string; readonly partialResult: ToolOutput } & ToolRef)
  | ({
      readonly _tag: "ToolEnded"
      readonly runId: string
      readonly result: ToolOutput
      readonly isError: boolean
      readonly durationMs: number
    } & Omit<ToolRef, "args">)
  /** The agent will retry a failed model call after a wait. */
  | {
      readonly _tag: "RetryScheduled"
      readonly runId: string
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
      readonly errorMessage: string
    }
  /** The retries ended, with an answer or with a final failure. */
  | {
      readonly _tag: "RetryEnded"
      readonly runId: string
      readonly success: boolean
      readonly attempt: number
      readonly finalError?: string
    }
  /** The agent replaces a model that failed by another one. */
  | {
      readonly _tag: "FallbackApplied"
      readonly runId: string
      readonly from: string
      readonly to: string
      readonly role: string
    }
  | { readonly _tag: "FallbackSucceeded"; readonly runId: string; readonly model: string; readonly role: string }
  /** Stream rules have cut the answer of the model off; it will answer again. */
  | { readonly _tag: "RulesTriggered"; readonly runId: string; readonly rules: ReadonlyArray<RuleInfo> }
  /** A compaction starts: a summary is about to replace older messages. */
  | ({ readonly _tag: "CompactionStarted" } & CompactionRef)
  | ({
      readonly _tag: "CompactionEnded"
      readonly result?: CompactionResult
      readonly aborted: boolean
      /** Whether the agent repeats the model call that did not fit. */
      readonly willRetry: boolean
      readonly errorMessage?: string
      readonly skipped?: boolean
    } & CompactionRef)
  /** The agent will retry the call for a summary after a wait. */
  | {
      readonly _tag: "SummaryRetryScheduled"
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
      readonly errorMessage: string
    }
  | {
      readonly _tag: "SummaryRetryStarted"
      readonly source: "compaction" | "branchSummary"
      readonly reason?: CompactionReason
    }
  | { readonly _tag: "SummaryRetryFinished" }
  /** The model has stopped with open tasks, and is told so in the turn that follows. */
  | {
      readonly _tag: "TodoReminder"
      readonly runId: string
      readonly todos: ReadonlyArray<TodoItem>
      readonly attempt: number
      readonly maxAttempts: number
    }
  /** Tasks that were done for a while have left the todo list. */
  | { readonly _tag: "TodosCleared" }
  | SubagentChange
  /** A limit is near, or reached. */
  | {
      readonly _tag: "BudgetWarning"
      readonly scope: BudgetScopeName
      readonly id?: string
      readonly snapshot: BudgetSnapshot
    }
  | {
      readonly _tag: "BudgetSpent"
      readonly scope: BudgetScopeName
      readonly id?: string
      readonly snapshot: BudgetSnapshot
    }
  /** Published once for each accepted prompt, and once more each time the host sends it again. */
  | ({
      readonly _tag: "PromptFinished"
      readonly requestId?: RequestId
      /** False while a run goes on that does not belong to this prompt. */
      readonly sessionSettled: boolean
    } & PromptEnd)
  /** The run has ended, and no queued message continues it. */
  | { readonly _tag: "RunSettled"; readonly runId: string; readonly aborted: boolean }
  | { readonly _tag: "SessionSettled" }
  /** Messages were queued, delivered, edited, moved or removed. */
  | {
      readonly _tag: "QueueChanged"
      readonly queue: MessageQueue
      /** The `messageId`s of these messages. */
      readonly changed: ReadonlyArray<string>
    }
  | { readonly _tag: "ModelChanged"; readonly model: Model }
  | { readonly _tag: "ThinkingLevelChanged"; readonly level: ThinkingLevel }
  /** An extension has stored an entry of its own. */
  | { readonly _tag: "EntryAppended"; readonly entry: CustomEntry }
  /** The agent has switched sessions. All later events belong to the new session. */
  | {
      readonly _tag: "SessionChanged"
      readonly sessionId: string
      readonly epoch: string
      /** Where it is kept, if it is in a file. */
      readonly sessionFile?: string
    }
  /** Published when the name or the session changes; `name` is absent if the session has none. */
  | { readonly _tag: "SessionNamed"; readonly name?: string }
  /** The store failed. The session goes on in the file `movedTo`, or in memory, and then nothing more is stored. */
  | { readonly _tag: "PersistFailed"; readonly error: string; readonly movedTo?: string }
  /** Code of an extension or of another contributor failed. The session goes on. */
  | {
      readonly _tag: "ExtensionFailed"
      readonly extensionPath: string
      /** The hook point, or what else the code was called for. */
      readonly event: string
      readonly error: string
      /** Where the code failed, as `file:line:column`. */
      readonly location?: string
    }
  /** Slash commands were added or removed; once for changes that come together. */
  | { readonly _tag: "CommandsChanged"; readonly commands: ReadonlyArray<CommandInfo> }
  /** A message for the people behind the host. */
  | {
      readonly _tag: "Notice"
      readonly level: "info" | "warning" | "error"
      readonly message: string
      readonly source: string
    }

/** What a person is told of a failure. An error of the parser names its place itself. */
export const failureText = ({ error, location }: Extract<AgentEvent, { readonly _tag: "ExtensionFailed" }>): string =>
  location === undefined || error.includes(location) ? error : `${error} (${location})`

export interface MessageRef {
  /** Absent for a custom message that joined the conversation outside a run. */
  readonly runId?: string
  readonly messageId: string
  /** The `clientMessageId` of a user message. */
  readonly clientMessageId?: string
}

/** How an accepted prompt ended. A prompt that was removed from the queue had no run. */
export interface PromptEnd {
  readonly runId?: string
  readonly status: PromptStatus
  readonly error?: RunFailure
}

/** A slash command as hosts show it. */
export interface CommandInfo {
  readonly name: string
  readonly description?: string
  readonly argumentHint?: string
  readonly source: "extension" | "prompt" | "skill"
}

export interface ToolRef {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: JsonObject
}

export interface CompactionRef {
  readonly compactionId: string
  readonly reason: CompactionReason
  /** `handoff` continues in a new session that starts with the summary. */
  readonly action: "context-full" | "handoff"
  readonly runId?: string
}

/** A step in the life of a subagent, which `id` names in all of them. */
export type SubagentChange =
  | { readonly _tag: "SubagentStarted"; readonly isolated: boolean; readonly subagent: SubagentInfo }
  | {
      readonly _tag: "SubagentEnded"
      readonly subagent: SubagentInfo
      readonly exitCode: number
      readonly verification?: VerificationResult
    }
  | { readonly _tag: "SubagentProgressed"; readonly subagent: SubagentInfo }
  /** An event of the subagent's own session; published while somebody has asked for them. */
  | { readonly _tag: "SubagentSaid"; readonly id: string; readonly event: AgentEvent }
  | {
      readonly _tag: "VerificationStarted"
      readonly id: string
      readonly attempt: number
      readonly profile?: string
    }
  | {
      readonly _tag: "VerificationCommandStarted"
      readonly id: string
      readonly attempt: number
      readonly commandName: string
    }
  | {
      readonly _tag: "VerificationCommandEnded"
      readonly id: string
      readonly attempt: number
      readonly commandName: string
      readonly exitCode: number
      readonly durationMs: number
      readonly artifactId?: string
    }
  | {
      readonly _tag: "VerificationEnded"
      readonly id: string
      readonly attempt: number
      readonly status: AttemptStatus
    }
