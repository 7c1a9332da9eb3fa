/** The protocols that come with the program. They are loaded at the first model call that needs one. */
import type { SettingsValues } from "../../../services/Settings.ts"
import { type Fetch, safeFetch } from "../../machine/http/SafeFetch.ts"
import type { Secrets } from "../../machine/secrets/KnownSecrets.ts"
import type { Protocol } from "../providers/Protocol.ts"
import * as AnthropicMessages from "./anthropic/AnthropicMessages.ts"
import * as OpenAi from "./openai/OpenAi.ts"
import * as Thinking from "./request/Thinking.ts"

export const make = (settings: SettingsValues, secrets: Secrets, fetch: Fetch = safeFetch): ReadonlyArray<Protocol> => {
  const options = { maxAnswerBytes: settings["providers.maxAnswerBytes"], fetch, secrets }
  return [AnthropicMessages.make(Thinking.budgets(settings), options), OpenAi.responses(options), OpenAi.chat(options)]
}
