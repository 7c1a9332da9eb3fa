/** The model of the next call, and the failures if it cannot be called. */
import * as Effect from "effect/Effect"
import { keyAdvice } from "../../../../domain/model/ProviderKeys.ts"
import { MissingCredentials, NoModelSelected } from "../../../../services/Agent.ts"
import { CompactionFailed } from "../../../../services/session/modules/Compaction.ts"
import type { ModelCatalog } from "../../../../services/model/ModelCatalog.ts"
import type { ControlValues } from "../../../../services/session/modules/Controls.ts"
import type { Choice } from "../../run/ModelRequests.ts"

export type ModelInForce = ReturnType<typeof make>

export const make = (controls: () => ControlValues, catalog: typeof ModelCatalog.Service) => {
  const choice = (): Choice | undefined => {
    const { model, thinkingLevel } = controls()
    return model === undefined ? undefined : { model, thinkingLevel }
  }
  const current = Effect.suspend(() => {
    const { model } = controls()
    return model === undefined ? Effect.fail(new NoModelSelected()) : Effect.succeed(model)
  })
  const certain = Effect.suspend(() => {
    const chosen = choice()
    return chosen === undefined ? Effect.die(new NoModelSelected()) : Effect.succeed(chosen)
  })
  const usable = Effect.flatMap(current, (model) =>
    Effect.flatMap(catalog.isAvailable(model), (isAvailable) =>
      isAvailable ? Effect.succeed(model) : new MissingCredentials({ provider: model.provider, modelId: model.id })
    )
  )
  return {
    /** The model and its thinking level, if a model is selected. */
    choice,
    /** The same for an accepted run, which has a model: a model can be changed but never unset. */
    certain,
    current,
    /** Fails unless the model has a key or needs none. */
    usable,
    /** The same, with the failures of a compaction. */
    forSummaries: Effect.catchTags(usable, {
      NoModelSelected: ({ message }) => new CompactionFailed({ reason: "no_model", message }),
      MissingCredentials: ({ provider }) =>
        new CompactionFailed({
          reason: "missing_credentials",
          message: `No API key for ${provider}. ${keyAdvice(provider)}`
        })
    })
  }
}
