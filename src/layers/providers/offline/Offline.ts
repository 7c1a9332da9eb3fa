/** The provider `offline`: models that come with the program and need neither network nor key. */
import * as Effect from "effect/Effect"
import type { Model } from "../../../domain/model/Model.ts"
import { zeroTokens } from "../../../domain/model/Usage.ts"
import { ModelFailure, type ModelRequest } from "../../../services/model/ModelClient.ts"
import { firstSuccess } from "../../Sharing.ts"
import type { Offer, Provider } from "../ProviderRegistry.ts"
import type * as Script from "./Script.ts"

export const id = "offline"

const model = (modelId: string, name: string): Model => ({
  id: modelId,
  name,
  api: "offline",
  provider: id,
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: zeroTokens,
  contextWindow: 200_000,
  maxTokens: 16_384
})

export const guide = model("guide", "Offline guide (scripted, not a language model)")
export const script = model("script", "Offline script (plays a scenario file)")

/** Its models, without the code that plays them. */
export const offer: Offer = { id, needsKey: false, models: [guide, script] }

const unknown = ({ model }: ModelRequest) =>
  new ModelFailure({
    reason: "not_found",
    message: `There is no model ${model.id} in the provider ${id}; it has ${guide.id} and ${script.id}.`,
    provider: model.provider,
    model: model.id
  })

/** Loads the code of the models at the first call: a process with a real model never needs it. */
const load = Effect.fnUntraced(function* (options: Script.Options) {
  const [Guide, Playback, Script] = yield* Effect.promise(() =>
    Promise.all([import("./Guide.ts"), import("./Playback.ts"), import("./Script.ts")])
  )
  return {
    playGuide: (request: ModelRequest) => Playback.play(Guide.steps(request)),
    playScript: yield* Script.make(options)
  }
})

/** `scenario` is the file that `offline/script` plays, relative to `cwd`. */
export const make = (options: Script.Options) =>
  Effect.sync((): Provider => {
    const loaded = firstSuccess(load(options))
    return {
      ...offer,
      stream: (request) =>
        Effect.flatMap(loaded, ({ playGuide, playScript }) => {
          if (request.model.id === guide.id) return playGuide(request)
          return request.model.id === script.id ? playScript(request) : unknown(request)
        })
    }
  })
