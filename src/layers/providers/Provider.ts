/** A provider is a plain value: there are many of them, and a service tag is one per runtime. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Model } from "../../domain/model/Model.ts"
import type { ModelEvents, ModelFailure, ModelRequest } from "../../services/model/ModelClient.ts"

/** What a provider adds to the catalogue. */
export interface Offer {
  readonly id: string
  /** Providers without keys are always available. */
  readonly needsKey: boolean
  readonly models: ReadonlyArray<Model>
}

export interface Provider extends Offer {
  /** See ModelClient.stream; here the scope is in the context. */
  readonly stream: (request: ModelRequest) => Effect.Effect<ModelEvents, ModelFailure, Scope.Scope>
}
