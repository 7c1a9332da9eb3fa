/** A provider is a plain value: there are many of them, and a service tag is one per runtime. */
import type { Model } from "../../domain/model/Model.ts"
import type { ModelRequest, Opened } from "../../services/model/ModelClient.ts"

/** The models that a provider adds to the catalogue. */
export interface Offer {
  readonly id: string
  /** A provider that needs no key is always available. */
  readonly needsKey: boolean
  readonly models: ReadonlyArray<Model>
}

export interface Provider extends Offer {
  readonly stream: (request: ModelRequest) => Opened
}
