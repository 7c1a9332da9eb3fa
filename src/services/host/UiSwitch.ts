/** Where a host that can ask its user joins: from then on the questions of the process go to it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Ui } from "./HostUi.ts"

export class UiSwitch extends Context.Tag("heddle/services/host/UiSwitch")<
  UiSwitch,
  {
    /** Until the scope closes. Of several that have joined, the last one is asked. */
    readonly connect: (ui: Ui) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}
