/** ModelCatalog and ModelClient over one list of providers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Credentials } from "../../services/Credentials.ts"
import { ModelCatalog } from "../../services/ModelCatalog.ts"
import { ModelClient, ModelFailure } from "../../services/ModelClient.ts"
import type { Provider } from "./Provider.ts"

const makeCatalog = Effect.fnUntraced(function* (providers: ReadonlyArray<Provider>) {
  const credentials = yield* Credentials
  const all = providers.flatMap(({ models }) => models)
  const usable = (provider: Provider) =>
    provider.needsKey ? Effect.map(credentials.find(provider.id), Option.isSome) : Effect.succeed(true)
  return ModelCatalog.of({
    all: Effect.succeed(all),
    available: Effect.map(Effect.filter(providers, usable), (found) => found.flatMap(({ models }) => models)),
    find: (provider, modelId) =>
      Effect.succeed(Option.fromNullable(all.find((model) => model.provider === provider && model.id === modelId)))
  })
})

const makeClient = (providers: ReadonlyArray<Provider>) => {
  const byId = new Map(providers.map((provider) => [provider.id, provider]))
  return ModelClient.of({
    stream: (request) => {
      const { id, provider } = request.model
      return (
        byId.get(provider)?.stream(request) ??
        new ModelFailure({
          reason: "configuration",
          message: `No provider named "${provider}" is configured`,
          provider,
          model: id
        })
      )
    }
  })
}

export const layer = (providers: ReadonlyArray<Provider>) =>
  Layer.merge(Layer.effect(ModelCatalog, makeCatalog(providers)), Layer.succeed(ModelClient, makeClient(providers)))
