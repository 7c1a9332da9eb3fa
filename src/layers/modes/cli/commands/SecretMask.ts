/** Hides the keys that heddle knows in what it prints or exports. */
import * as Effect from "effect/Effect"
import { Processes } from "../../../../services/machine/Processes.ts"
import * as Catalog from "../../../models/catalog/Catalog.ts"
import * as KeyRing from "../../../models/keys/KeyRing.ts"
import * as EnvFiles from "../../../machine/files/own/EnvFiles.ts"
import * as LocalProcesses from "../../../machine/processes/LocalProcesses.ts"
import * as Process from "../../../machine/processes/Process.ts"
import * as KnownSecrets from "../../../machine/secrets/KnownSecrets.ts"

/** For the project in this folder. */
export const make = Effect.fnUntraced(function* (cwd: string, trusted: boolean) {
  const agentDir = yield* Process.agentDir
  const secrets = KnownSecrets.make()
  const folders = { agentDir, ...EnvFiles.foldersFor({ cwd, trusted }) }
  yield* Effect.provideServiceEffect(KeyRing.make(folders), Catalog.Catalog, Catalog.make({ agentDir })).pipe(
    Effect.provideService(Processes, LocalProcesses.service),
    Effect.provideService(KnownSecrets.KnownSecrets, secrets)
  )
  yield* secrets.collected
  return secrets.mask
})
