/** What is agreed with a host: once and for all, or until it says otherwise. */
import type { DialogMethod } from "../../services/host/HostUi.ts"
import type { AbortQueue } from "../../services/Settings.ts"
import type { AgentEnd, Dialect } from "../dialect/Dialect.ts"
import type { Echoes } from "../dialect/Echoes.ts"
import type { EventFilter } from "../protocol/events/EventFilter.ts"
import type { Level } from "../subagents/SubagentFrames.ts"

/** `full` repeats the whole message in every update, paced; `delta` sends increments only (supplement 3). */
export type UpdateForm = "full" | "delta"

/** What never changes. */
export interface Terms {
  readonly serverVersion: string
  readonly maxFrameBytes: number
  readonly dialect: Dialect
  readonly agentEnd: AgentEnd
  /** Where the dialect shows the attachments of prompts. */
  readonly echoes?: Echoes
}

/** What the host has asked for so far. A link to a session starts with them. */
export interface Preferences {
  /** The form of updates, unless the filter has another. */
  readonly updates: UpdateForm
  /** Absent until the host has set one. */
  readonly filter?: EventFilter
  /** What the host has asked to hear of subagents; absent means `off`. */
  readonly subagents?: Level
  /** What `abort` does with queued messages unless the command says. */
  readonly abortQueue: AbortQueue
  /** `turn_diff` comes before the end of a turn that has changed files. */
  readonly turnDiffs?: boolean
  /** The host answers `approval_request` itself. */
  readonly approvals?: boolean
  /** The questions that the host can answer; all of them until it says otherwise. */
  readonly ui?: ReadonlySet<DialogMethod>
  readonly initialized: boolean
  /** The host has sent `initialize` or `negotiate_protocol`, so it knows the current protocol. */
  readonly negotiated: boolean
  /** The command whose response agrees on chunks: they begin behind it. */
  readonly chunksAfter?: "initialize" | "negotiate_protocol"
  /** The language of the user, if the host has said. */
  readonly locale?: string
}
