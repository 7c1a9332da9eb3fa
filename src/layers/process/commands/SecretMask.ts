/** Hides the keys that heddle knows in what it prints or exports. */
import * as Effect from "effect/Effect"
import { Processes } from "../../../services/machine/Processes.ts"
import * as Catalog from "../../models/Catalog.ts"
import * as KeyRing from "../../models/KeyRing.ts"
import * as EnvFiles from "../../platform/files/EnvFiles.ts"
import * as LocalProcesses from "../../platform/processes/LocalProcesses.ts"
import * as Process from "../../platform/processes/Process.ts"
import * as KnownSecrets from "../../secrets/KnownSecrets.ts"

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
