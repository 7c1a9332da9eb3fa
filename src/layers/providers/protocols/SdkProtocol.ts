/** A protocol on the SDK of its provider: the SDK is loaded and makes the request, the rest is the same for all. */
import * as Effect from "effect/Effect"
import type { ModelRequest } from "../../../services/ModelClient.ts"
import type { Connection, Protocol } from "../Protocol.ts"
import type { Dialect } from "./Dialect.ts"
import type { Machine } from "./Machine.ts"
import * as Pump from "./Pump.ts"
import * as SdkClients from "./SdkClients.ts"

export interface Parts<Client, Body, Raw extends object> {
  readonly api: string
  readonly load: () => Promise<SdkClients.Create<Client>>
  readonly body: (request: ModelRequest, connection: Connection) => Body
  readonly send: (client: Client, body: Body, signal: AbortSignal) => Promise<Response>
  readonly dialect: Dialect
  readonly machine: () => Machine<Raw>
}

export const make = <Client, Body, Raw extends object>(parts: Parts<Client, Body, Raw>): Protocol => {
  const { api, body, dialect, load, machine, send } = parts
  const clients = SdkClients.make(load)
  return {
    api,
    stream: (request, connection, scope) =>
      Effect.suspend(() => {
        const made = body(request, connection)
        return Pump.stream({
          scope,
          request,
          connection,
          dialect,
          machine: machine(),
          open: (signal) => clients(request.model.baseUrl, connection).then((client) => send(client, made, signal))
        })
      })
  }
}
