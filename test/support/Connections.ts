/** The connection of a host that has said nothing yet. */
import { superset } from "../../src/rpc/dialect/Dialect.ts"
import type { Connection, UpdateForm } from "../../src/rpc/Connection.ts"

export const make = (updates: UpdateForm): Connection => ({
  serverVersion: "0",
  sessionId: "s",
  epoch: "e",
  maxFrameBytes: 1,
  dialect: superset,
  agentEnd: "final",
  updates,
  abortQueue: "return",
  initialized: false,
  negotiated: false,
  seq: 0
})
