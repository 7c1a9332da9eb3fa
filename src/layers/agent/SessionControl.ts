/** What a change of session uses of an agent beside its contract. */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../domain/conversation/AgentEvent.ts"
import type { CompactionFailed } from "../../services/Compaction.ts"
import type { SessionEnding } from "../../services/hooks/HookPoints.ts"
import type { EventLog } from "../../services/session/EventLog.ts"
import type { LiveNode } from "../../services/supervision/Supervision.ts"
import type { HookRegistry } from "../hooks/HookRegistry.ts"
import type { BranchSummary, BranchSummaryRequest } from "./compaction/BranchSummary.ts"

/** The values that a change of session carries over. */
export interface Carried {
  /** The services of the modules, of which each carries over its own values. */
  readonly services: Context.Context<never>
  readonly isClosing: boolean
  /** A host never sees the revision of the queue decrease. */
  readonly queueRevision: number
}

export interface SessionControl {
  readonly publish: (event: AgentEvent) => void
  /** The events that `publish` and the run have brought to the sinks. */
  readonly log: EventLog
  readonly root: LiveNode
  /** Makes a change that keeps the session to itself: prompts and other changes wait for it. */
  readonly changing: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends slash commands and the run, drops the queue, syncs the log, and returns when all events are with the sinks. */
  readonly settle: Effect.Effect<void>
  readonly hooks: HookRegistry
  /** Lets the contributors join the session, without waiting for them. */
  readonly wake: Effect.Effect<void>
  /** Tells hooks, once, that the session is about to be closed. */
  readonly farewell: (ending: SessionEnding) => Effect.Effect<void>
  /** Refuses prompts and late records from now on. What is still queued stays in the log. */
  readonly leave: () => void
  readonly carried: Effect.Effect<Carried>
  readonly carry: (carried: Carried) => Effect.Effect<void>
  /** The leaf has moved to another branch. */
  readonly moved: () => void
  readonly summarize: (
    paths: Pick<BranchSummaryRequest, "from" | "to">
  ) => Effect.Effect<BranchSummary | undefined, CompactionFailed>
}
