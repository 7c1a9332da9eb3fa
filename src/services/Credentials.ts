/** Keys of providers. They are Redacted from the moment they are read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

export class Credentials extends Context.Tag("heddle/services/Credentials")<
  Credentials,
  {
    /** Looked up for every request, so that a key added while the process runs is found. */
    readonly find: (provider: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
  }
>() {}
