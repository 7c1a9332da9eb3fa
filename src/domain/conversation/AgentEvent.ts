/** What happens in a session, in the order in which it happens. The wire form of each is rpc/protocol/EventFrames.ts. */
import type { AssistantDraft, Update } from "./AssistantDraft.ts"
import type { CompactionReason, CompactionResult } from "../compaction/CompactionResult.ts"
import type { JsonObject } from "./Content.ts"
import type { AssistantMessage, Message, ToolOutput, ToolResultMessage } from "./Message.ts"
import type { MessageQueue, RequestId } from "./MessageQueue.ts"
import type { Model, ThinkingLevel } from "../model/Model.ts"

export type { RequestId } from "./MessageQueue.ts"

/** Why an accepted prompt did not come to a normal end. */
export interface RunFailure {
  readonly message: string
  readonly provider?: string
  readonly model?: string
  readonly httpStatus?: number
  readonly retryable: boolean
}

export type PromptStatus = "completed" | "aborted" | "error"

export type AgentEvent =
  | { readonly _tag: "RunStarted"; readonly runId: string }
  | { readonly _tag: "RunEnded"; readonly runId: string; readonly messages: ReadonlyArray<Message> }
  | { readonly _tag: "TurnStarted"; readonly runId: string; readonly turnIndex: number; readonly timestamp: number }
  | {
      readonly _tag: "TurnEnded"
      readonly runId: string
      readonly turnIndex: number
      readonly message: AssistantMessage
      readonly toolResults: ReadonlyArray<ToolResultMessage>
    }
  | ({ readonly _tag: "MessageStarted"; readonly message: Message } & MessageRef)
  | {
      readonly _tag: "MessageUpdated"
      readonly runId: string
      readonly messageId: string
      readonly draft: AssistantDraft
      readonly update: Update
    }
  | ({ readonly _tag: "MessageEnded"; readonly message: Message } & MessageRef)
  | ({ readonly _tag: "ToolStarted"; readonly runId: string } & ToolRef)
  | ({ readonly _tag: "ToolUpdated"; readonly runId: string; readonly partialResult: ToolOutput } & ToolRef)
  | ({
      readonly _tag: "ToolEnded"
      readonly runId: string
      readonly result: ToolOutput
      readonly isError: boolean
      readonly durationMs: number
    } & Omit<ToolRef, "args">)
  /** A failed model call will be tried again after a wait. */
  | {
      readonly _tag: "RetryScheduled"
      readonly runId: string
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
      readonly errorMessage: string
    }
  /** The chain of retries ended, by an answer or for good. */
  | {
      readonly _tag: "RetryEnded"
      readonly runId: string
      readonly success: boolean
      readonly attempt: number
      readonly finalError?: string
    }
  /** Another model takes over from one that failed. */
  | {
      readonly _tag: "FallbackApplied"
      readonly runId: string
      readonly from: string
      readonly to: string
      readonly role: string
    }
  | { readonly _tag: "FallbackSucceeded"; readonly runId: string; readonly model: string; readonly role: string }
  /** Older parts of the conversation are about to be replaced by a summary. */
  | ({ readonly _tag: "CompactionStarted" } & CompactionRef)
  | ({
      readonly _tag: "CompactionEnded"
      readonly result?: CompactionResult
      readonly aborted: boolean
      /** The model call that did not fit is made again. */
      readonly willRetry: boolean
      readonly errorMessage?: string
      /** There was nothing to do. */
      readonly skipped?: boolean
    } & CompactionRef)
  /** The call for a summary failed and will be made again after a wait. */
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
  /** Exactly one for each accepted prompt; one more for each time it was sent again. */
  | ({
      readonly _tag: "PromptFinished"
      readonly requestId?: RequestId
      /** False while a run goes on, which this prompt was no part of. */
      readonly sessionSettled: boolean
    } & PromptEnd)
  /** Nothing of the run is left, and nothing queued continues it. */
  | { readonly _tag: "RunSettled"; readonly runId: string; readonly aborted: boolean }
  | { readonly _tag: "SessionSettled" }
  /** Something was queued, delivered, edited, moved or removed. */
  | { readonly _tag: "QueueChanged"; readonly queue: MessageQueue }
  | { readonly _tag: "ModelChanged"; readonly model: Model }
  | { readonly _tag: "ThinkingLevelChanged"; readonly level: ThinkingLevel }
  /** The agent is in another session; everything that follows belongs to that one. */
  | { readonly _tag: "SessionChanged"; readonly sessionId: string }
  /** After a change of the name, and after a change of the session; absent when it has none. */
  | { readonly _tag: "SessionNamed"; readonly name?: string }
  /** The conversation is not stored any more; it goes on in memory. */
  | { readonly _tag: "PersistFailed"; readonly error: string }
  /** Something that people should know, whoever watches. */
  | {
      readonly _tag: "Notice"
      readonly level: "info" | "warning" | "error"
      readonly message: string
      readonly source: string
    }

export interface MessageRef {
  readonly runId: string
  readonly messageId: string
  /** The name its sender gave to a user message. */
  readonly clientMessageId?: string
}

/** How an accepted prompt ended. No run: it waited in the queue and was taken out of it. */
export interface PromptEnd {
  readonly runId?: string
  readonly status: PromptStatus
  readonly error?: RunFailure
}

export interface ToolRef {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: JsonObject
}

export interface CompactionRef {
  readonly compactionId: string
  readonly reason: CompactionReason
  /** `handoff` goes on in a new session that begins with the summary. */
  readonly action: "context-full" | "handoff"
  /** Absent where no run is going on. */
  readonly runId?: string
}
