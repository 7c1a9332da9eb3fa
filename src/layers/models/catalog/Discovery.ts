/** Asks OpenAI-compatible servers which models they serve (setting models.discover). Start-up does not wait for it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { optional } from "../../../domain/conversation/Content.ts"
import * as BaseUrl from "../../../domain/model/BaseUrl.ts"
import { Credentials } from "../../../services/model/Credentials.ts"
import { Settings } from "../../../services/Settings.ts"
import * as HttpJson from "../../machine/http/HttpJson.ts"
import { Catalog } from "./Catalog.ts"
import { unknownModel } from "./CatalogMerge.ts"
import type { ModelEntry, ProviderEntry } from "./ProviderEntry.ts"

const timeout = "5 seconds"

/** Ten times what the largest catalogues list. */
const mostModels = 5000

const Served = Schema.Struct({
  id: Schema.NonEmptyString,
  /** vLLM says `max_model_len`, OpenRouter and others `context_length`. */
  max_model_len: optional(Schema.NullOr(Schema.Positive)),
  context_length: optional(Schema.NullOr(Schema.Positive))
})
const decodeAnswer = Schema.decodeUnknown(Schema.Struct({ data: Schema.Array(Schema.Unknown) }))
const decodeServed = Schema.decodeUnknownOption(Served)

const isForText = ({ id }: typeof Served.Type) => !/embed|rerank|whisper/i.test(id)

const entryOf = (provider: ProviderEntry, served: typeof Served.Type): ModelEntry => {
  const entry = unknownModel(provider, served.id)
  const contextWindow = served.max_model_len ?? served.context_length ?? entry.model.contextWindow
  const maxTokens = Math.min(entry.model.maxTokens, contextWindow)
  return { ...entry, model: { ...entry.model, contextWindow, maxTokens } }
}

const addressOf = (baseUrl: string) => BaseUrl.below(baseUrl, "/models")

const ask = Effect.fnUntraced(function* (provider: ProviderEntry) {
  const credentials = yield* Credentials
  const key = yield* Effect.orElseSucceed(credentials.find(provider.id), () => Option.none<Redacted.Redacted>())
  const headers: Record<string, string> = Option.match(key, {
    onNone: () => ({}),
    onSome: (value) => ({ authorization: `Bearer ${Redacted.value(value)}` })
  })
  const answer = yield* HttpJson.get(addressOf(Redacted.value(provider.address)), headers)
  const { data } = yield* Effect.mapError(
    decodeAnswer(answer),
    () => new HttpJson.HttpFailed({ reason: "did not answer with a list of models" })
  )
  return data
    .slice(0, mostModels)
    .flatMap((item) => Option.toArray(decodeServed(item)))
    .filter(isForText)
})

const discoverOne = Effect.fnUntraced(function* (id: string) {
  const catalog = yield* Catalog
  const provider = catalog.providers.get(id)
  if (provider === undefined || !provider.api.startsWith("openai-") || provider.baseUrl === "") {
    yield* Effect.logWarning(`models.discover: "${id}" is not a provider whose models can be listed`)
    return
  }
  const address = addressOf(provider.baseUrl)
  yield* ask(provider).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new HttpJson.HttpFailed({ reason: "did not answer within 5 s" })
    }),
    Effect.flatMap((served) => catalog.add(served.map((model) => entryOf(provider, model)))),
    Effect.catchAll(({ reason }) =>
      Effect.logWarning(`no models from ${id}: the server at ${address} ${reason} (setting models.discover)`)
    )
  )
})

/** Adds the models to the catalogue. Returns when every server has answered or timed out. */
export const run = Effect.fn("Discovery.run")(function* (providers: ReadonlyArray<string>) {
  yield* Effect.forEach(providers, discoverOne, { concurrency: "unbounded", discard: true })
})

/** The same in the background, if the settings ask for it. Owned by the agent's scope. */
export const start = Effect.flatMap(Settings, ({ "models.discover": providers }) =>
  providers.length === 0 ? Effect.void : Effect.forkScoped(run(providers))
)
