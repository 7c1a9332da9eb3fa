/** A task among those of one call, and what the call has for all of them. */
import type * as Effect from "effect/Effect"
import type { OutputLimits } from "../../../../domain/subagents/ResultText.ts"
import type { ParentSession } from "../../../../services/delegation/Delegation.ts"
import type { BatchWatch, SessionSubagents, Task } from "../../../../services/delegation/Subagents.ts"
import type { Family } from "../Family.ts"
import type { Progress } from "./Progress.ts"
import type { Batch, Outcome } from "./TaskRun.ts"

export interface BatchOptions extends Batch {
  readonly family: Family
  readonly projectAgentsDir: string | null
  /** Lets as many tasks run at once as the settings allow. */
  readonly gate: Effect.Semaphore
  /** Changes are taken over by one call at a time. */
  readonly merging: Effect.Semaphore
  readonly below: (id: string, cwd: string) => (parent: ParentSession) => SessionSubagents
  readonly watch: BatchWatch
  readonly limits: OutputLimits
}

/** A task of the batch, from before its start to after its end. */
export interface Slot {
  readonly id: string
  readonly index: number
  readonly task: Task
  readonly progress: Progress
  readonly outcome: Outcome
  sessionFile: string | undefined
  hasBegun: boolean
  lastUpdate: number
}
