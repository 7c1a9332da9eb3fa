/** Runs discovery in the background if the settings ask for it. Owned by the agent's scope; loaded only then. */
import * as Effect from "effect/Effect"
import { Settings } from "../../services/Settings.ts"

export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const providers = settings["models.discover"]
  if (providers.length === 0) return
  const load = Effect.promise(() => import("./Discovery.ts"))
  yield* Effect.forkScoped(Effect.flatMap(load, ({ run }) => run(providers)))
})
