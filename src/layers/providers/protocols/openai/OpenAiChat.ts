/** The protocol `openai-completions`: chat completions, as OpenAI and most other servers speak it. */
import * as ChatEvents from "./ChatEvents.ts"
import * as ChatRequest from "./ChatRequest.ts"
import * as Dialect from "../stream/Dialect.ts"
import * as OpenAiClient from "./OpenAiClient.ts"
import * as SdkProtocol from "../stream/SdkProtocol.ts"

export const make = () =>
  SdkProtocol.make({
    api: "openai-completions",
    load: OpenAiClient.load,
    format: ChatRequest.format,
    path: "/chat/completions",
    send: (client, options) => client.request(options).asResponse(),
    dialect: Dialect.openAi,
    machine: ChatEvents.make
  })
