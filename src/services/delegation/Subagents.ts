/**
 * The subagents of a session: child sessions that do tasks for it (protocol.md 14). A host sees, steers and ends them while
 * they run. Where they come from is in services/Delegation.ts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { BudgetLimits } from "../../domain/budget/BudgetLimits.ts"
import type { JsonObject } from "../../domain/conversation/Content.ts"
import type { SubagentInfo, SubagentProgress, SubagentResult, TranscriptPart } from "../../domain/subagents/Subagent.ts"
import type { OrInterrupted } from "../fibers/Interrupted.ts"
import type { Tool } from "../Tools.ts"

/** No subagent of this session has the id, or its transcript cannot be read. */
export class UnknownSubagent extends Schema.TaggedError<UnknownSubagent>()("UnknownSubagent", {
  message: Schema.String
}) {}

/** None of the tasks was started. The message says why, in words for a model. */
export class TasksRefused extends Schema.TaggedError<TasksRefused>()("TasksRefused", { message: Schema.String }) {}

export interface TranscriptRequest {
  readonly subagentId?: string
  readonly sessionFile?: string
  readonly fromByte?: number
}

export interface Task {
  /** At most 48 characters, unlike those of the other tasks. */
  readonly id: string
  readonly description?: string
  readonly assignment: string
}

/** What the tool `task` is asked for, and what a program asks for. */
export interface TaskBatch {
  readonly agent: string
  /** Comes before every assignment. */
  readonly context?: string
  /** JSON Schema or JTD of what `submit_result` takes. */
  readonly schema?: JsonObject
  readonly tasks: ReadonlyArray<Task>
  readonly isolated?: boolean
  /** protocol.md 14.5. */
  readonly verify?: unknown
  /** What all tasks of the batch may spend together (scope `task`). Only a program can give them, not a model. */
  readonly limits?: BudgetLimits
}

export interface BatchReport {
  readonly results: ReadonlyArray<SubagentResult>
  /** What became of the changes of isolated tasks, a line each. */
  readonly merged: ReadonlyArray<string>
  readonly projectAgentsDir: string | null
  readonly totalDurationMs: number
}

export interface BatchWatch {
  readonly toolCallId?: string
  /** Called at most every 150 ms. */
  readonly progress?: (progress: ReadonlyArray<SubagentProgress>, report: BatchReport) => Effect.Effect<void>
  /** Wraps the batch, for a caller who answers when it is interrupted. All tasks have ended by then. */
  readonly orInterrupted?: OrInterrupted<{
    readonly progress: ReadonlyArray<SubagentProgress>
    readonly report: BatchReport
  }>
}

export interface SessionSubagents {
  /** Does the tasks side by side, each in a session of its own. An interrupt ends all of them. */
  readonly run: (batch: TaskBatch, watch?: BatchWatch) => Effect.Effect<BatchReport, TasksRefused>
  /** The tool `task`; none where the session may start no subagents. */
  readonly tools: Effect.Effect<ReadonlyArray<Tool>>
  /** Those that run, at any depth, in the order of their start. */
  readonly live: Effect.Effect<ReadonlyArray<SubagentInfo>>
  /** Queues a steering message for a subagent that runs, at any depth. */
  readonly steer: (id: string, message: string) => Effect.Effect<void, UnknownSubagent>
  /** A part of the transcript of a subagent that this session has started, also after its end. */
  readonly transcript: (request: TranscriptRequest) => Effect.Effect<TranscriptPart, UnknownSubagent>
  /** Whether the events of subagents are published, too, as `SubagentSaid`. They are many, so they are off by default. */
  readonly forward: (wanted: boolean) => Effect.Effect<void>
}

export const none: SessionSubagents = {
  run: () => new TasksRefused({ message: "This session has no subagents." }),
  tools: Effect.succeed([]),
  live: Effect.succeed([]),
  steer: (id) => new UnknownSubagent({ message: `Unknown subagent: ${id}` }),
  transcript: ({ sessionFile, subagentId }) =>
    new UnknownSubagent({
      message:
        subagentId === undefined && sessionFile !== undefined
          ? "Unknown subagent session file"
          : `Unknown subagent or session file unavailable: ${subagentId}`
    }),
  forward: () => Effect.void
}

/** The subagents of a session: none without the module `subagents`. */
export class SubagentSet extends Context.Reference<SubagentSet>()("heddle/services/delegation/SubagentSet", {
  defaultValue: () => none
}) {}
