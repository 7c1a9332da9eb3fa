/** A provider is a plain value: there are many of them, and a service tag is one per runtime. */
import type * as Effect from "effect/Effect"
import type * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import type { Model } from "../../domain/model/Model.ts"
import type { ModelEvent } from "../../domain/model/ModelEvent.ts"
import type { ModelFailure, ModelRequest } from "../../services/model/ModelClient.ts"

/** The models that a provider adds to the catalogue. */
export interface Offer {
  readonly id: string
  /** A provider that needs no key is always available. */
  readonly needsKey: boolean
  readonly models: ReadonlyArray<Model>
}

/** One open model call, as `ModelClient.stream` describes it. */
export type Opened = Effect.Effect<Mailbox.ReadonlyMailbox<ModelEvent, ModelFailure>, ModelFailure, Scope.Scope>

export interface Provider extends Offer {
  readonly stream: (request: ModelRequest) => Opened
}
