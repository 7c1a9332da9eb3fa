/** A real shell for tests, in a temporary folder; `tag` is in the environment of all it starts. */
import { Effect, Layer } from "effect"
import * as LocalProcesses from "../../../../src/layers/machine/processes/LocalProcesses.ts"
import * as LocalShell from "../../../../src/layers/tools/shell/LocalShell.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { tempFolder } from "../TempFolder.ts"

export const layer = (options: LocalShell.LocalShellOptions) =>
  Layer.provide(LocalShell.layer(options), LocalProcesses.layer)

export const make = Effect.gen(function* () {
  const cwd = yield* tempFolder
  const context = yield* Layer.build(layer({ cwd }))
  const tag = `heddle-test-${crypto.randomUUID()}`
  const shell = yield* Effect.provide(Shell, context)
  return { cwd, shell, tag, env: { HEDDLE_TEST: tag } }
})
