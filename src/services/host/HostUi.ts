/** Questions and notices for the user. Where nobody can answer, a question gets its default. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

export class HostUi extends Context.Tag("heddle/services/host/HostUi")<
  HostUi,
  {
    /** None when cancelled, timed out, or nobody can answer. */
    readonly select: (title: string, options: ReadonlyArray<string>) => Effect.Effect<Option.Option<string>>
    /** False when nobody can answer. */
    readonly confirm: (title: string, message: string) => Effect.Effect<boolean>
    readonly notify: (message: string) => Effect.Effect<void>
  }
>() {}
