/** The first frame (supplement 5.2). It has the members of several families of hosts: each host reads its own. */
import type { Connection } from "../connection/Connection.ts"
import * as Capabilities from "./Capabilities.ts"
import { schemaHash } from "./schemaHash.ts"

export const readyFrame = (connection: Connection, enforcement: typeof Capabilities.Enforcement.Type): object => ({
  type: "ready",
  version: connection.serverVersion,
  protocolVersion: 1,
  supportedProtocolVersions: Capabilities.transportVersions,
  ...Capabilities.frameLimits(connection.maxFrameBytes),
  server: { name: "heddle", version: connection.serverVersion },
  protocol: {
    name: "heddle-rpc",
    version: Capabilities.protocolVersion,
    dialect: connection.dialect.name,
    dialects: Capabilities.dialects,
    initialize: true
  },
  capabilities: Capabilities.capabilities,
  enforcement,
  schemaHash
})
