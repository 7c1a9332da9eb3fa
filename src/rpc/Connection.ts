/** What one host and we have agreed on. Owned by the server of that connection. */

/** `full` repeats the whole message in every update, paced; `delta` sends increments only (supplement 3). */
export type UpdateForm = "full" | "delta"

export interface Connection {
  readonly serverVersion: string
  readonly sessionId: string
  readonly epoch: string
  readonly maxFrameBytes: number
  updates: UpdateForm
  initialized: boolean
  /** Sent `initialize` or `negotiate_protocol`: a client that knows today's protocol. */
  negotiated: boolean
  /** Number of the last session record written. */
  seq: number
}
