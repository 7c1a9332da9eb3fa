/** What one host and we have agreed on. Owned by the server of that connection. */
import type { AgentMessage } from "../domain/conversation/Message.ts"
import type { AbortQueue } from "../services/Settings.ts"

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
  /** Of the last session record written, as `epoch` and `seq` are; all three change with the session. */
  sessionId: string
  epoch: string
  readonly maxFrameBytes: number
  updates: UpdateForm
  /** What `abort` does with queued messages when it does not say. */
  abortQueue: AbortQueue
  initialized: boolean
  /** Sent `initialize` or `negotiate_protocol`: a client that knows today's protocol. */
  negotiated: boolean
  /** Number of the last session record written. */
  seq: number
  /** Kept until its last page is read. */
  pages?: MessageSnapshot
}
