/** The protocol `openai-responses` on OpenAI's own SDK. */
import * as Dialect from "../stream/Dialect.ts"
import * as OpenAiClient from "./OpenAiClient.ts"
import * as ResponsesEvents from "./ResponsesEvents.ts"
import * as ResponsesRequest from "./ResponsesRequest.ts"
import * as SdkProtocol from "../stream/SdkProtocol.ts"

export const make = () =>
  SdkProtocol.make({
    api: "openai-responses",
    load: OpenAiClient.load,
    format: ResponsesRequest.format,
    path: "/responses",
    send: (client, options) => client.request(options).asResponse(),
    dialect: Dialect.openAi,
    machine: ResponsesEvents.make
  })
