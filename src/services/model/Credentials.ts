/** Keys of providers. They are Redacted from the moment they are read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A key is configured but cannot be read. The message says where it is configured and never contains it. */
export class KeyUnavailable extends Schema.TaggedError<KeyUnavailable>()("KeyUnavailable", {
  provider: Schema.String,
  message: Schema.String
}) {}

export class Credentials extends Context.Tag("heddle/services/model/Credentials")<
  Credentials,
  {
    /** Looked up for every request, so that a key added while the process runs is found. */
    readonly find: (provider: string) => Effect.Effect<Option.Option<Redacted.Redacted>, KeyUnavailable>
    /** Whether a key is configured. Asked often, so it runs no command. */
    readonly has: (provider: string) => Effect.Effect<boolean>
    /** Whether the key in force is the token of a login. Absent: none is. */
    readonly isOAuth?: (provider: string) => Effect.Effect<boolean>
    /**
     * Whether the only key of a provider came with the project. Such a provider is not the default while the user has
     * another one. Absent: no key comes from projects.
     */
    readonly isOnlyFromProject?: (provider: string) => Effect.Effect<boolean>
  }
>() {}
