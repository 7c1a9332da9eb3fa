/** The protocol `openai-completions`: chat completions, as OpenAI and most other servers speak it. */
import * as Effect from "effect/Effect"
import type { Protocol } from "../Protocol.ts"
import * as ChatEvents from "./ChatEvents.ts"
import * as ChatRequest from "./ChatRequest.ts"
import * as Dialect from "./Dialect.ts"
import * as OpenAiClient from "./OpenAiClient.ts"
import * as Pump from "./Pump.ts"

export const api = "openai-completions"

export const make = (): Protocol => {
  const clients = OpenAiClient.make()
  return {
    api,
    stream: (request, connection, scope) =>
      Effect.suspend(() => {
        const body = ChatRequest.make(request, connection.compat)
        return Pump.stream({
          scope,
          request,
          connection,
          dialect: Dialect.openAi,
          machine: ChatEvents.make(),
          open: (signal) =>
            clients(request.model.baseUrl, connection).then((client) =>
              client.chat.completions.create(body, { signal }).asResponse()
            )
        })
      })
  }
}
