/** The data of a provider and its models: endpoint × auth × protocol. Holds no secret in clear. */
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Model } from "../../../domain/model/Model.ts"
import type { ProviderConfig } from "../../../services/model/ProviderRegistrations.ts"
import type { Compat } from "../providers/Protocol.ts"
import type { ConfigValue } from "../keys/ConfigValue.ts"

/** A provider of the built-in table. */
export interface Endpoint {
  readonly id: string
  readonly baseUrl: string
  readonly api: string
  /** Whether requests are sent without a key if none is found. */
  readonly keyless: boolean
  /** Whether it serves models that the table lacks: an unknown id is then passed on as it is. */
  readonly open: boolean
  readonly compat: Compat
  /** Environment variables that override the address. */
  readonly addressVariables: ReadonlyArray<string>
}

export type Headers = Readonly<Record<string, ConfigValue>>

/** A provider with the user's models.json and registrations applied. */
export interface ProviderEntry extends Endpoint {
  /** For people, if a registration names it. */
  readonly name?: string
  /** Whether a registration is in force. Sessions may then have models of before. */
  readonly isRegistered?: boolean
  /** For error texts: where the address comes from, if from a registration. */
  readonly addressPlaces?: string
  /** Runs the calls to models with the `api` of the provider. */
  readonly stream?: NonNullable<ProviderConfig["stream"]>
  /** Where requests go: `baseUrl` with its password and its key. */
  readonly address: Redacted.Redacted
  readonly apiKey: Option.Option<ConfigValue>
  readonly headers: Headers
  /** Whether the key is also sent as `Authorization: Bearer`, besides the protocol's own header. */
  readonly authHeader: boolean
}

/** A model as hosts see it, and the data that only its requests need. */
export interface ModelEntry {
  readonly model: Model
  readonly address: Redacted.Redacted
  readonly compat: Compat
  readonly headers: Headers
}

/** A provider with all of its models, or one that does not exist yet. */
export interface ProviderModels {
  readonly provider: ProviderEntry | undefined
  readonly models: ReadonlyArray<ModelEntry>
}

/** A change to a provider that can be taken back. */
export type Change = (before: ProviderModels) => ProviderModels
