/** A protocol that uses its vendor's SDK to send requests. Everything else is the same for all protocols. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Json from "../../../../domain/Json.ts"
import * as JsonValue from "../../../../domain/JsonValue.ts"
import { ModelFailure, type ModelRequest } from "../../../../services/model/ModelClient.ts"
import type { ProviderResponse, RequestHooks } from "../../../../services/model/RequestHooks.ts"
import { defaults as settings } from "../../../../services/Settings.ts"
import { type Fetch, safeFetch } from "../../../machine/http/SafeFetch.ts"
import * as ServerEvents from "../../../machine/http/ServerEvents.ts"
import { failed } from "../../../machine/engine/Source.ts"
import * as KnownSecrets from "../../../machine/secrets/KnownSecrets.ts"
import type { Compat, Connection, Protocol } from "../../providers/Protocol.ts"
import type { Dialect } from "./Dialect.ts"
import type { Machine } from "./Machine.ts"
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

/** Both SDKs throw an answer that is an error, with these two members. Anything else thrown had no answer. */
const headOf = (answer: unknown): ProviderResponse | undefined => {
  if (!Predicate.hasProperty(answer, "status") || !Predicate.hasProperty(answer, "headers")) return undefined
  const { headers, status } = answer
  return Predicate.isNumber(status) && headers instanceof Headers
    ? { status, headers: Object.fromEntries(headers) }
    : undefined
}

const refused = ({ model }: ModelRequest, problem: string) =>
  new ModelFailure({
    reason: "invalid_request",
    message: `The request to ${model.provider} was not sent: the body that a before_provider_request handler returned ${problem}`,
    provider: model.provider,
    model: model.id
  })

/** The body after the hook of the session. Only a request with a hook is parsed and made text again. */
const hooked = (text: string, request: ModelRequest, before: NonNullable<RequestHooks["before"]>) => {
  const { model, sessionId } = request
  const payload = Either.getOrElse(Json.parse(text), () => ({}))
  return Effect.flatMap(before(payload, { model, sessionId }), (body) => {
    const problem = Predicate.isRecord(body) ? JsonValue.problemOf(body) : "is not a JSON object"
    return problem === undefined ? Effect.sync(() => Json.stringify(body)) : refused(request, problem)
  })
}

/** The answer waits for the hook. */
const observed = <E extends { readonly cause: unknown }>(
  answer: Effect.Effect<Response, E>,
  { hooks, model, sessionId }: ModelRequest
) => {
  const after = hooks?.after
  if (after === undefined) return answer
  const show = (answer: unknown) => {
    const head = headOf(answer)
    return head === undefined ? Effect.void : after(head, { model, sessionId })
  }
  return Effect.tapBoth(answer, { onSuccess: show, onFailure: ({ cause }) => show(cause) })
}

export const make = <Client, Raw extends object>(
  parts: Parts<Client, Raw>,
  { fetch, maxAnswerBytes, secrets }: Options
): Protocol => {
  const { api, body: bodyOf, dialect, load, machine, path } = parts
  const clients = SdkClients.make(() => load(fetch), secrets)

  const open = (request: ModelRequest, connection: Connection, body: string) => {
    const address = connection.address === undefined ? request.model.baseUrl : Redacted.value(connection.address)
    let contentType = ""
    const send = (signal: AbortSignal) => {
      const options: Sent = { method: "post", path, body, headers, stream: true, signal }
      const ask = () => clients(address, connection, (client) => parts.send(client, options))
      const answer = observed(Effect.tryPromise({ try: ask, catch: failed("open") }), request)
      return Effect.map(answer, (response) => {
        contentType = response.headers.get("content-type") ?? ""
        return response
      })
    }
    return ModelCall.stream({
      request,
      connection,
      source: ServerEvents.source(send, maxAnswerBytes),
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
        const before = request.hooks?.before
        if (before === undefined) return open(request, connection, body)
        return Effect.flatMap(hooked(body, request, before), (text) => open(request, connection, text))
      })
  }
}
