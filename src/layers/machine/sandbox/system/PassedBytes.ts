/** Bytes for a program that reads them from a descriptor. */
import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { SpawnFailed } from "../../../../services/machine/Processes.ts"

/** A file without a name: a pipe would take no more than 64 KiB. */
const openNow = (bytes: Uint8Array): number => {
  const path = join(tmpdir(), `heddle-${crypto.randomUUID()}`)
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" })
  try {
    return openSync(path, "r")
  } finally {
    unlinkSync(path)
  }
}

const failed = (cause: unknown) =>
  new SpawnFailed({
    message: `Command could not be started: the sandbox cannot be described to it (${cause instanceof Error ? cause.message : String(cause)})`
  })

/** A new descriptor, at the first byte, until the scope closes. */
export const open = (bytes: Uint8Array): Effect.Effect<number, SpawnFailed, Scope.Scope> =>
  Effect.acquireRelease(Effect.try({ try: () => openNow(bytes), catch: failed }), (fd) =>
    Effect.sync(() => closeSync(fd))
  )
