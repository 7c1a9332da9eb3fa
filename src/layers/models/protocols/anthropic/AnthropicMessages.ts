/** The protocol `anthropic-messages` on Anthropic's own SDK. */
import type { ClientOptions } from "@anthropic-ai/sdk"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as BaseUrl from "../../../../domain/model/BaseUrl.ts"
import type { Fetch } from "../../../machine/http/SafeFetch.ts"
import type { Connection } from "../../providers/Protocol.ts"
import * as AnthropicEvents from "./AnthropicEvents.ts"
import * as AnthropicRequest from "./AnthropicRequest.ts"
import type * as Thinking from "../request/Thinking.ts"
import * as Dialect from "../stream/Dialect.ts"
import * as SdkClients from "../stream/SdkClients.ts"
import * as SdkProtocol from "../stream/SdkProtocol.ts"

const oauthBeta = "oauth-2025-04-20"
const isOauth = (key: string) => key.startsWith("sk-ant-oat")

/** The longest delay that a timer takes: the watchdog keeps the deadlines. */
const never = 2 ** 31 - 1

const isAnthropic = (url: string) => /^https:\/\/([a-z0-9-]+\.)*anthropic\.com(\/|$)/.test(url)

const credentials = (url: string, key: string | undefined): ClientOptions => {
  // Without a credential the SDK would look for profiles on disk; `null` removes the header again.
  if (key === undefined) return { apiKey: "none", defaultHeaders: { authorization: null } }
  if (isOauth(key)) return { authToken: key, defaultHeaders: { "anthropic-beta": oauthBeta } }
  // Servers that imitate the API only know the header of its earlier versions.
  return isAnthropic(url) ? { apiKey: key } : { apiKey: key, defaultHeaders: { "x-api-key": key } }
}

/** The SDK adds `/v1` itself, but users often write it because other providers need it. */
const withoutVersion = (url: string) => url.replace(/\/v1$/, "")

const clientOptions = (url: string, connection: Connection, fetch: Fetch): ClientOptions => {
  const { address, query } = BaseUrl.split(url)
  const auth = credentials(url, Option.getOrUndefined(Option.map(connection.apiKey, Redacted.value)))
  return {
    ...auth,
    baseURL: withoutVersion(address),
    defaultQuery: query,
    maxRetries: 0,
    timeout: never,
    logLevel: "off",
    openTelemetry: false,
    ...SdkClients.transport(fetch),
    defaultHeaders: { ...auth.defaultHeaders, ...Record.map(connection.headers, Redacted.value) }
  }
}

/** The client without the resources: loading those takes longer than anything else in a first prompt. */
const load = (fetch: Fetch) =>
  import("@anthropic-ai/sdk/client").then(
    ({ BaseAnthropic }) =>
      (url: string, connection: Connection) =>
        SdkClients.create(
          "ANTHROPIC_",
          isAnthropic(url),
          () => new BaseAnthropic(clientOptions(url, connection, fetch))
        ),
    SdkClients.missing("@anthropic-ai/sdk")
  )

export const make = (budgets: Thinking.Budgets, options = SdkProtocol.defaults) =>
  SdkProtocol.make(
    {
      api: "anthropic-messages",
      load,
      body: AnthropicRequest.body(budgets),
      path: "/v1/messages",
      send: (client, options) => client.request(options).asResponse(),
      dialect: Dialect.anthropic,
      machine: AnthropicEvents.make
    },
    options
  )
