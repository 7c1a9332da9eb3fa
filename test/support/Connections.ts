/** The connection of a host that has said nothing yet but `change`. */
import { Option } from "effect"
import { superset } from "../../src/rpc/dialect/Dialect.ts"
import * as Connection from "../../src/rpc/connection/Connection.ts"
import type { Preferences, Terms, UpdateForm } from "../../src/rpc/connection/Preferences.ts"

export const terms: Terms = {
  serverVersion: "0",
  maxFrameBytes: 1,
  dialect: superset,
  agentEnd: "final"
}

export const make = (updates: UpdateForm, change: Partial<Preferences> = {}) =>
  Connection.make(
    terms,
    { updates, abortQueue: "return", initialized: false, negotiated: false, ...change },
    { sessionId: "s", epoch: "e", file: Option.none() }
  )
