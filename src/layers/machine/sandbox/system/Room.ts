/** A folder for the temporary files of one command, where the machine's own is not replaced. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SpawnFailed } from "../../../../services/machine/Processes.ts"

const failed = (cause: unknown) =>
  new SpawnFailed({
    message: `Command could not be started: it gets no temporary folder (${cause instanceof Error ? cause.message : String(cause)})`
  })

const remove = (path: string) => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The command has left something that even its owner may not remove.
  }
}

/** Its path without links, until the scope closes. */
export const make: Effect.Effect<string, SpawnFailed, Scope.Scope> = Effect.acquireRelease(
  Effect.try({ try: () => realpathSync(mkdtempSync(join(tmpdir(), "heddle-room-"))), catch: failed }),
  (path) => Effect.sync(() => remove(path))
)
