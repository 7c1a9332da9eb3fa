/** What is known of a provider and its models before any request: endpoint × auth × protocol. No secrets in clear. */
import type * as Option from "effect/Option"
import type { Model } from "../../domain/model/Model.ts"
import type { Compat } from "../providers/Protocol.ts"
import type { ConfigValue } from "./ConfigValue.ts"

/** A provider as the built-in table has it. */
export interface Endpoint {
  readonly id: string
  readonly baseUrl: string
  readonly api: string
  /** Requests go out without a key where none is found. */
  readonly keyless: boolean
  /** Serves more models than the table has: an id that it does not know is passed on as it is. */
  readonly open: boolean
  readonly compat: Compat
  /** Environment variables that override the address. */
  readonly addressVariables: ReadonlyArray<string>
}

export type Headers = Readonly<Record<string, ConfigValue>>

/** The same with what the user's models.json says about it. */
export interface ProviderEntry extends Endpoint {
  readonly apiKey: Option.Option<ConfigValue>
  readonly headers: Headers
  /** Sends the key as `Authorization: Bearer` besides what the protocol does with it. */
  readonly authHeader: boolean
}

/** The model that hosts see, and what only its requests need. */
export interface ModelEntry {
  readonly model: Model
  readonly compat: Compat
  readonly headers: Headers
}
