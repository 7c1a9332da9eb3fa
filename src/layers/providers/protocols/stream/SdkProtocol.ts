/** A protocol that uses its vendor's SDK to send requests. Everything else is the same for all protocols. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaults as settings } from "../../../../services/Settings.ts"
import * as EventLoop from "../../../platform/EventLoop.ts"
import * as KnownSecrets from "../../../secrets/KnownSecrets.ts"
import type { Protocol } from "../../Protocol.ts"
import type { Dialect } from "./Dialect.ts"
import type { Machine } from "./Machine.ts"
import * as Pump from "./Pump.ts"
import * as RequestText from "../request/RequestText.ts"
import * as SdkClients from "./SdkClients.ts"

/** The request options of both SDKs for a body that is already text. */
export interface Sent {
  readonly method: "post"
  readonly path: string
  readonly body: string
  readonly headers: { readonly "content-type": string }
  readonly stream: true
  readonly signal: AbortSignal
}

export interface Parts<Client, Item, Raw extends object> {
  readonly api: string
  readonly load: () => Promise<SdkClients.Create<Client>>
  readonly format: RequestText.Format<Item>
  readonly path: string
  readonly send: (client: Client, options: Sent) => Promise<Response>
  readonly dialect: Dialect
  readonly machine: () => Machine<Raw>
}

export interface Options {
  /** The longest answer that is read, decompressed. */
  readonly maxAnswerBytes: number
  /** Learns the keys of calls, and masks texts of errors. */
  readonly secrets: KnownSecrets.Secrets
}

export const defaults: Options = {
  maxAnswerBytes: settings["providers.maxAnswerBytes"],
  secrets: KnownSecrets.none
}

const headers = { "content-type": "application/json" }

export const make = <Client, Item, Raw extends object>(
  parts: Parts<Client, Item, Raw>,
  { maxAnswerBytes, secrets }: Options
): Protocol => {
  const { api, dialect, load, machine, path, send } = parts
  const textOf = RequestText.make(parts.format, EventLoop.onNextTurn)
  const clients = SdkClients.make(load, secrets)
  return {
    api,
    stream: (request, connection) =>
      Effect.suspend(() => {
        const body = textOf(request, connection.compat)
        const address = connection.address === undefined ? request.model.baseUrl : Redacted.value(connection.address)
        return Pump.stream({
          request,
          connection,
          dialect,
          machine: machine(),
          maxAnswerBytes,
          mask: secrets.mask,
          open: (signal) =>
            clients(address, connection, (client) =>
              send(client, { method: "post", path, body, headers, stream: true, signal })
            )
        })
      })
  }
}
