/** Keys from the environment (protocol.md 16.3). */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Credentials } from "../../services/Credentials.ts"

/** The variables of a provider, best first. */
const variables: Readonly<Record<string, ReadonlyArray<string>>> = {
  anthropic: ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"]
}

const find = Effect.fnUntraced(function* (provider: string) {
  for (const name of variables[provider] ?? []) {
    const key = yield* Effect.option(Config.redacted(Config.nonEmptyString(name)))
    if (Option.isSome(key)) return key
  }
  return Option.none()
})

export const layer = Layer.succeed(Credentials, { find })
