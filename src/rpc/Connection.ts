/** The state of one connection: what the host has agreed with us, and how far the records have come. Owned by its server. */
import type { CommandInfo } from "../domain/conversation/AgentEvent.ts"
import type { AgentMessage } from "../domain/conversation/Message.ts"
import type { AbortQueue } from "../services/Settings.ts"
import type { AgentEnd, Dialect } from "./dialect/Dialect.ts"
import type { Echoes } from "./dialect/Echoes.ts"
import type { DialogMethod } from "../services/host/HostUi.ts"
import type { EventFilter } from "./protocol/EventFilter.ts"
import type { Level } from "./subagents/SubagentFrames.ts"

/** `full` repeats the whole message in every update, paced; `delta` sends increments only (supplement 3). */
export type UpdateForm = "full" | "delta"

/** The conversation as it was when a host began to read it page by page. */
export interface MessageSnapshot {
  readonly sessionId: string
  readonly leaf: string | null
  readonly messages: ReadonlyArray<AgentMessage>
}

export interface Connection {
  readonly serverVersion: string
  /** `sessionId`, `epoch` and `seq` are those of the last record written. All three change with the session. */
  sessionId: string
  epoch: string
  /** Where the session is kept, if it is in a file. */
  sessionFile?: string | undefined
  readonly maxFrameBytes: number
  readonly dialect: Dialect
  readonly agentEnd: AgentEnd
  /** Where the dialect shows the attachments of prompts. */
  readonly echoes?: Echoes
  /** The form of updates, unless the filter has another. */
  updates: UpdateForm
  /** Absent until the host has set one. */
  filter?: EventFilter
  /** What the host has asked to hear of subagents; absent means `off`. */
  subagents?: Level
  /** What `abort` does with queued messages unless the command says. */
  abortQueue: AbortQueue
  /** `turn_diff` comes before the end of a turn that has changed files. */
  turnDiffs?: boolean
  /** The questions that the host can answer; all of them until it says otherwise. */
  ui?: ReadonlySet<DialogMethod>
  initialized: boolean
  /** The host has sent `initialize` or `negotiate_protocol`, so it knows the current protocol. */
  negotiated: boolean
  /** The command whose response agrees on chunks: they begin behind it. */
  chunksAfter?: "initialize" | "negotiate_protocol"
  seq: number
  /** The language of the user, if the host has said. */
  locale?: string
  /** The slash commands that the host was told of last. */
  commands?: ReadonlyArray<CommandInfo>
  /** The snapshot that the host reads page by page; kept until the last page. */
  pages?: MessageSnapshot
}
