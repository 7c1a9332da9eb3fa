/** Providers that are added or changed while the process runs, as extensions do. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Model } from "../../domain/model/Model.ts"
import type { Tokens } from "../../domain/model/Usage.ts"
import type { ModelRequest, Opened } from "./ModelClient.ts"

/** Nothing was changed. Each problem names the field; none repeats a value, which may be a key. */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("ProviderRefused", {
  provider: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The provider "${this.provider}" cannot be registered: ${this.problems.join("; ")}`
  }
}

type Texts = Readonly<Record<string, string>>

/** As in models.json: everything but the id has a default. */
export interface RegisteredModel extends Partial<
  Pick<Model, "name" | "api" | "baseUrl" | "reasoning" | "input" | "contextWindow" | "maxTokens" | "thinkingLevelMap">
> {
  readonly id: string
  readonly cost?: Partial<Tokens>
  readonly headers?: Texts
  /** Unknown flags are ignored. */
  readonly compat?: Readonly<Record<string, unknown>>
}

/** Key, headers and address of one call, looked up for it. */
export interface CallAuth {
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  /** The whole base URL; that of the model hides passwords. */
  readonly address: Redacted.Redacted
}

export interface ProviderConfig {
  /** For people. */
  readonly name?: string
  readonly baseUrl?: string
  readonly api?: string
  /** Text is read as in models.json: `!command`, the name of a variable, or the key. A redacted key is the key. */
  readonly apiKey?: string | Redacted.Redacted
  readonly headers?: Texts
  readonly authHeader?: boolean
  /** `none`: requests need no key. Absent: a key is needed, unless the provider is on this machine or has its own code. */
  readonly auth?: "apiKey" | "none"
  readonly compat?: Readonly<Record<string, unknown>>
  /** Replace all models of the provider. Absent: the models of an existing provider stay. */
  readonly models?: ReadonlyArray<RegisteredModel>
  /** Runs the calls to those models whose `api` is the provider's. */
  readonly stream?: (request: ModelRequest, auth: CallAuth) => Opened
}

export class ProviderRegistrations extends Context.Tag("heddle/services/model/ProviderRegistrations")<
  ProviderRegistrations,
  {
    /**
     * In force at once, also for open sessions; calls that run go on as they were started. A field that a later
     * registration of the same name leaves out keeps its value. Closing the scope takes this registration back.
     */
    readonly register: (name: string, config: ProviderConfig) => Effect.Effect<void, ProviderRefused, Scope.Scope>
    /** Takes back all registrations of the name. */
    readonly unregister: (name: string) => Effect.Effect<void>
  }
>() {}
