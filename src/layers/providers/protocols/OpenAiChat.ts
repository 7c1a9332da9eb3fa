/** The protocol `openai-completions`: chat completions, as OpenAI and most other servers speak it. */
import * as Effect from "effect/Effect"
import type { Protocol } from "../Protocol.ts"
import * as ChatEvents from "./ChatEvents.ts"
import * as ChatRequest from "./ChatRequest.ts"
import * as OpenAiClient from "./OpenAiClient.ts"
import * as Pump from "./Pump.ts"

export const api = "openai-completions"

export const protocol: Protocol = {
  api,
  stream: (request, connection) =>
    Effect.suspend(() => {
      const body = ChatRequest.make(request, connection.compat)
      return Pump.stream({
        request,
        connection,
        machine: ChatEvents.make(),
        open: (signal, fetch) =>
          OpenAiClient.make(request.model.baseUrl, connection, fetch).then((client) =>
            client.chat.completions.create(body, { signal })
          )
      })
    })
}
