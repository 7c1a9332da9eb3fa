/** Which models exist and which of them can be used now. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Model } from "../../domain/model/Model.ts"

export class ModelCatalog extends Context.Tag("heddle/services/model/ModelCatalog")<
  ModelCatalog,
  {
    readonly all: Effect.Effect<ReadonlyArray<Model>>
    /** Models whose provider has credentials or needs none, in registry order. */
    readonly available: Effect.Effect<ReadonlyArray<Model>>
    /** Whether `available` has this model. Asked for every prompt. */
    readonly isAvailable: (model: Model) => Effect.Effect<boolean>
    readonly find: (provider: string, modelId: string) => Effect.Effect<Option.Option<Model>>
  }
>() {}
