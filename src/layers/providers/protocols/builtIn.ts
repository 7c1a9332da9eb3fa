/** The wire formats that come with the program. */
import type { Protocol } from "../Protocol.ts"
import * as AnthropicMessages from "./anthropic/AnthropicMessages.ts"
import * as OpenAiChat from "./openai/OpenAiChat.ts"
import * as OpenAiResponses from "./openai/OpenAiResponses.ts"

export const make = (): ReadonlyArray<Protocol> => [AnthropicMessages.make(), OpenAiResponses.make(), OpenAiChat.make()]
