/** The wire formats that come with the program. */
import type { Protocol } from "../Protocol.ts"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"

export const make = (): ReadonlyArray<Protocol> => [AnthropicMessages.make(), OpenAiResponses.make(), OpenAiChat.make()]
