/** The connection of a host that has said nothing yet. */
import type { Connection, UpdateForm } from "../../src/rpc/Connection.ts"

export const make = (updates: UpdateForm): Connection => ({
  serverVersion: "0",
  sessionId: "s",
  epoch: "e",
  maxFrameBytes: 1,
  trust: "untrusted",
  updates,
  abortQueue: "return",
  initialized: false,
  negotiated: false,
  seq: 0
})
