/** The protocols that come with the program. They are loaded at the first model call that needs one. */
import type { Protocol } from "../Protocol.ts"
import * as AnthropicMessages from "./anthropic/AnthropicMessages.ts"
import * as OpenAi from "./openai/OpenAi.ts"
import type { Options } from "./stream/SdkProtocol.ts"

export const make = (options: Options): ReadonlyArray<Protocol> => [
  AnthropicMessages.make(options),
  OpenAi.responses(options),
  OpenAi.chat(options)
]
