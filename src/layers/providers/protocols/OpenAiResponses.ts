/** The protocol `openai-responses` on OpenAI's own SDK, which is loaded at the first call. */
import * as Effect from "effect/Effect"
import type { Protocol } from "../Protocol.ts"
import * as Dialect from "./Dialect.ts"
import * as OpenAiClient from "./OpenAiClient.ts"
import * as Pump from "./Pump.ts"
import * as ResponsesEvents from "./ResponsesEvents.ts"
import * as ResponsesRequest from "./ResponsesRequest.ts"

export const api = "openai-responses"

export const make = (): Protocol => {
  const clients = OpenAiClient.make()
  return {
    api,
    stream: (request, connection, scope) =>
      Effect.suspend(() => {
        const body = ResponsesRequest.make(request, connection.compat)
        return Pump.stream({
          scope,
          request,
          connection,
          dialect: Dialect.openAi,
          machine: ResponsesEvents.make(),
          open: (signal) =>
            clients(request.model.baseUrl, connection).then((client) =>
              client.responses.create(body, { signal }).asResponse()
            )
        })
      })
  }
}
