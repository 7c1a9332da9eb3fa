/** Tools that the host runs for us. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Tool } from "./Tools.ts"

export class HostTools extends Context.Tag("heddle/services/HostTools")<
  HostTools,
  {
    /** What the host registered last; an interrupt of a call is passed on to the host. */
    readonly active: Effect.Effect<ReadonlyArray<Tool>>
  }
>() {}
