/** The two protocols of OpenAI's SDK. Most other servers speak the older one, chat completions. */
import type { ClientOptions } from "openai"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as BaseUrl from "../../../../domain/model/BaseUrl.ts"
import type { Fetch } from "../../../machine/http/SafeFetch.ts"
import type { Connection } from "../../providers/Protocol.ts"
import * as Dialect from "../stream/Dialect.ts"
import * as SdkClients from "../stream/SdkClients.ts"
import * as SdkProtocol from "../stream/SdkProtocol.ts"
import * as ChatEvents from "./ChatEvents.ts"
import * as ChatRequest from "./ChatRequest.ts"
import * as ResponsesEvents from "./ResponsesEvents.ts"
import * as ResponsesRequest from "./ResponsesRequest.ts"

/** The longest delay that a timer takes: the watchdog keeps the deadlines. */
const never = 2 ** 31 - 1

const isOpenAi = (baseUrl: string) => /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseUrl)

const clientOptions = (baseUrl: string, connection: Connection, fetch: Fetch): ClientOptions => {
  const { address, query } = BaseUrl.split(baseUrl)
  const key = Option.map(connection.apiKey, Redacted.value)
  const headers = Record.map(connection.headers, Redacted.value)
  return {
    // The SDK insists on a key; `authorization: null` below removes the header again.
    apiKey: Option.getOrElse(key, () => "none"),
    adminAPIKey: null,
    baseURL: address,
    defaultQuery: query,
    maxRetries: 0,
    timeout: never,
    logLevel: "off",
    ...SdkClients.transport(fetch),
    defaultHeaders: Option.isSome(key) ? headers : { authorization: null, ...headers }
  }
}

const load = (fetch: Fetch) =>
  import("openai").then(
    ({ OpenAI }) =>
      (baseUrl: string, connection: Connection) =>
        SdkClients.create("OPENAI_", isOpenAi(baseUrl), () => new OpenAI(clientOptions(baseUrl, connection, fetch))),
    SdkClients.missing("openai")
  )

export const responses = (options = SdkProtocol.defaults) =>
  SdkProtocol.make(
    {
      api: "openai-responses",
      load,
      body: ResponsesRequest.body,
      path: "/responses",
      send: (client, options) => client.request(options).asResponse(),
      dialect: Dialect.openAi,
      machine: ResponsesEvents.make
    },
    options
  )

export const chat = (options = SdkProtocol.defaults) =>
  SdkProtocol.make(
    {
      api: "openai-completions",
      load,
      body: ChatRequest.body,
      path: "/chat/completions",
      send: (client, options) => client.request(options).asResponse(),
      dialect: Dialect.openAi,
      machine: ChatEvents.make
    },
    options
  )
