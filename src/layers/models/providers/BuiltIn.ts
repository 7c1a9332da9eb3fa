/** The providers that heddle brings along: the scripted models, and the protocols of all others. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Settings } from "../../../services/Settings.ts"
import * as Http from "../../machine/http/Http.ts"
import { KnownSecrets } from "../../machine/secrets/KnownSecrets.ts"
import * as Offline from "../offline/Offline.ts"
import type { RegistryOptions } from "./ProviderRegistry.ts"

/** The protocols are loaded with the first call to a provider. */
export const make = Effect.fnUntraced(function* ({ cwd }: { readonly cwd: string }) {
  const settings = yield* Settings
  const secrets = yield* KnownSecrets
  const fetch = yield* Http.fetch
  const offline = yield* Offline.make({ scenario: Option.fromNullable(settings["offline.scenario"]), cwd })
  const load = Effect.promise(() => import("../protocols/builtIn.ts"))
  const options: RegistryOptions = {
    providers: [offline],
    protocols: Effect.map(load, (protocols) => protocols.make(settings, secrets, fetch))
  }
  return options
})
