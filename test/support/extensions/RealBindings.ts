/** The bindings of a real agent on this machine: files, shell, and sessions in a temporary folder. */
import { Effect, Layer } from "effect"
import * as Bindings from "../../../src/layers/pi/modules/host/Bindings.ts"
import * as JsonlSessionStore from "../../../src/layers/storage/sessions/JsonlSessionStore.ts"
import * as StaticSettings from "../../../src/layers/workspace/settings/StaticSettings.ts"
import * as FileLedger from "../../../src/layers/tools/files/FileLedger.ts"
import { machine } from "../../layers/tools/RunTool.ts"
import * as Shells from "../../layers/tools/shell/Shells.ts"
import { withFiles } from "../../layers/tools/TempFolder.ts"
import * as FixedIds from "../agent/FixedIds.ts"
import { plain } from "./PlainBindings.ts"

export const make = Effect.fnUntraced(function* (files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = yield* withFiles({ "agent/": "", ...files })
  const location = { agentDir: `${cwd}/agent`, cwd, home: cwd }
  const ledger = FileLedger.make()
  const { shell } = yield* Shells.make
  const services = Layer.merge(
    Layer.provide(JsonlSessionStore.layer(location), FixedIds.layer),
    StaticSettings.layer({ defaultModel: "loom-1" })
  )
  const { models, packageDir, version } = plain
  const bindings = yield* Bindings.make({
    location,
    version,
    packageDir,
    models,
    machine,
    shell,
    files: () => ({ ledger, artifacts: Effect.succeedNone })
  }).pipe(Effect.provide(services))
  const holder = { get: () => bindings }
  return { bindings, cwd, holder, ledger }
})
