/** A protocol that uses its vendor's SDK to send requests. Everything else is the same for all protocols. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Json from "../../../../domain/Json.ts"
import type { ModelRequest } from "../../../../services/model/ModelClient.ts"
import type { RequestHooks } from "../../../../services/model/RequestHooks.ts"
import { defaults as settings } from "../../../../services/Settings.ts"
import * as AsPromise from "../../../platform/AsPromise.ts"
import * as AnswerHook from "../../../platform/http/AnswerHook.ts"
import { type Fetch, safeFetch } from "../../../platform/http/SafeFetch.ts"
import * as ServerEvents from "../../../platform/http/ServerEvents.ts"
import * as KnownSecrets from "../../../secrets/KnownSecrets.ts"
import type { Compat, Connection, Protocol } from "../../Protocol.ts"
import type { Dialect } from "./Dialect.ts"
import type { Machine } from "./Machine.ts"
import * as HookedBody from "../request/HookedBody.ts"
import * as ModelCall from "./ModelCall.ts"
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

export interface Parts<Client, Raw extends object> {
  readonly api: string
  readonly load: SdkClients.Load<Client>
  readonly body: (request: ModelRequest, compat: Compat) => object
  readonly path: string
  readonly send: (client: Client, options: Sent) => Promise<Response>
  readonly dialect: Dialect
  readonly machine: () => Machine<Raw>
}

export interface Options {
  /** The longest answer that is read, decompressed. */
  readonly maxAnswerBytes: number
  readonly fetch: Fetch
  /** Learns the keys of calls, and masks texts of errors. */
  readonly secrets: KnownSecrets.Secrets
}

export const defaults: Options = {
  maxAnswerBytes: settings["providers.maxAnswerBytes"],
  fetch: safeFetch,
  secrets: KnownSecrets.none
}

const headers = { "content-type": "application/json" }

type Observe = (answer: Promise<Response>, signal: AbortSignal) => Promise<Response>

const unobserved: Observe = (answer) => answer

/** Answers wait for the hook. The signal of the call interrupts it. */
const observing = ({ model, sessionId }: ModelRequest, after: RequestHooks["after"]): Effect.Effect<Observe> => {
  if (after === undefined) return Effect.succeed(unobserved)
  return Effect.map(
    AsPromise.make,
    (asPromise) => (answer, signal) =>
      AnswerHook.observe(answer, (head) => asPromise(after(head, { model, sessionId }), signal))
  )
}

export const make = <Client, Raw extends object>(
  parts: Parts<Client, Raw>,
  { fetch, maxAnswerBytes, secrets }: Options
): Protocol => {
  const { api, body: bodyOf, dialect, load, machine, path } = parts
  const clients = SdkClients.make(() => load(fetch), secrets)

  const open = (request: ModelRequest, connection: Connection, body: string, observe: Observe) => {
    const address = connection.address === undefined ? request.model.baseUrl : Redacted.value(connection.address)
    let contentType = ""
    const send = (signal: AbortSignal) => {
      const options: Sent = { method: "post", path, body, headers, stream: true, signal }
      return observe(
        clients(address, connection, (client) => parts.send(client, options)),
        signal
      )
    }
    const onAnswer = ({ headers }: Response) => {
      contentType = headers.get("content-type") ?? ""
    }
    return ModelCall.stream({
      request,
      connection,
      source: ServerEvents.source({ open: send, onAnswer, maxBytes: maxAnswerBytes }),
      dialect,
      machine: machine(),
      contentType: () => contentType,
      mask: secrets.mask
    })
  }

  return {
    api,
    stream: (request, connection) =>
      Effect.suspend(() => {
        const body = Json.stringify(bodyOf(request, connection.compat))
        const { hooks } = request
        if (hooks === undefined) return open(request, connection, body, unobserved)
        const { after, before } = hooks
        const hooked = before === undefined ? Effect.succeed(body) : HookedBody.make(body, request, before)
        return Effect.flatMap(hooked, (text) =>
          Effect.flatMap(observing(request, after), (observe) => open(request, connection, text, observe))
        )
      })
  }
}
