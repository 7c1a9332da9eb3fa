/** A real shell for tests, in a temporary folder, with a short grace; `tag` is in the environment of all it starts. */
import { Effect, Layer } from "effect"
import * as LocalShell from "../../../../src/layers/tools/shell/LocalShell.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { tempFolder } from "../TempFolder.ts"

export const layer = (options: LocalShell.LocalShellOptions) => LocalShell.layer({ grace: 100, ...options })

export const make = Effect.gen(function* () {
  const cwd = yield* tempFolder
  const context = yield* Layer.build(layer({ cwd }))
  const tag = `heddle-test-${crypto.randomUUID()}`
  const shell = yield* Effect.provide(Shell, context)
  return { cwd, shell, tag, env: { HEDDLE_TEST: tag } }
})
