/** What both OpenAI protocols share: the client. */
import type { ClientOptions } from "openai"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type { Connection } from "../../Protocol.ts"
import * as SdkClients from "../stream/SdkClients.ts"

/** The longest that a timer takes: deadlines are the watchdog's. */
const never = 2 ** 31 - 1

const isOpenAi = (baseUrl: string) => /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseUrl)

/** Organisation and project come from the environment, and are nobody else's business. */
const privacy = (baseUrl: string): ClientOptions => (isOpenAi(baseUrl) ? {} : { organization: null, project: null })

const options = (baseUrl: string, connection: Connection): ClientOptions => {
  const key = Option.map(connection.apiKey, Redacted.value)
  const headers = Record.map(connection.headers, Redacted.value)
  return {
    ...privacy(baseUrl),
    // The SDK insists on a key; the null takes the header out again.
    apiKey: Option.getOrElse(key, () => "none"),
    adminAPIKey: null,
    baseURL: baseUrl.replace(/\/+$/, ""),
    maxRetries: 0,
    timeout: never,
    logLevel: "off",
    fetchOptions: SdkClients.fetchOptions,
    defaultHeaders: Option.isSome(key) ? headers : { authorization: null, ...headers }
  }
}

export const load = () =>
  import("openai").then(
    ({ OpenAI }) =>
      (baseUrl: string, connection: Connection) =>
        new OpenAI(options(baseUrl, connection))
  )
