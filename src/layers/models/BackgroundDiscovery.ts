/** Discovery as the settings want it: in the background, owned by the agent's scope, loaded only where it is used. */
import * as Effect from "effect/Effect"
import { Settings } from "../../services/Settings.ts"

export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const providers = settings["models.discover"]
  if (providers.length === 0) return
  const load = Effect.promise(() => import("./Discovery.ts"))
  yield* Effect.forkScoped(Effect.flatMap(load, ({ run }) => run(providers)))
})
