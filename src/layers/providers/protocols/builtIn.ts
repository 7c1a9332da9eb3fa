/** The protocols that come with the program. They are loaded at the first model call that needs one. */
import type { Protocol } from "../Protocol.ts"
import * as AnthropicMessages from "./anthropic/AnthropicMessages.ts"
import * as OpenAi from "./openai/OpenAi.ts"

export const make = (): ReadonlyArray<Protocol> => [AnthropicMessages.make(), OpenAi.responses(), OpenAi.chat()]
