/** Files for the full output of commands: readable by their owner alone, written from beginning to end through threads. */
import { chmodSync, copyFileSync, existsSync, fchmodSync, mkdirSync, readdirSync } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Copies from "../Copies.ts"
import { type FileRefused, refused } from "../FileErrors.ts"

export interface OutputFile {
  readonly path: string
  /** Returns when the system has taken all of it. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, FileRefused>
  readonly close: Effect.Effect<void>
  /** Closes the file, too. */
  readonly remove: Effect.Effect<void>
}

const attempt = <A>(path: string, run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: refused(path) })

export const temporaryFolder: Effect.Effect<string, FileRefused> = attempt(tmpdir(), () =>
  mkdtemp(join(tmpdir(), "heddle-"))
)

export const removeFolder = (path: string): Effect.Effect<void> =>
  Effect.ignore(attempt(path, () => Copies.remove(path)))

export const create = (path: string): Effect.Effect<OutputFile, FileRefused> =>
  attempt(path, async () => {
    const handle = await open(path, "wx", 0o600)
    fchmodSync(handle.fd, 0o600) // whatever the umask took away
    const close = Effect.ignore(attempt(path, () => handle.close()))
    return {
      path,
      write: (bytes) =>
        attempt(path, async () => {
          for (let from = 0; from < bytes.length;) {
            const { bytesWritten } = await handle.write(bytes, from)
            from += bytesWritten
          }
        }),
      close,
      remove: Effect.zipRight(close, Effect.ignore(attempt(path, () => rm(path, { force: true }))))
    }
  })

/** Copies files and folders, and leaves out everything else: a FIFO would hang, and a link leads elsewhere. */
export const copyFolder = (from: string, to: string): void => {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target)
    if (!entry.isFile()) continue
    copyFileSync(source, target)
    chmodSync(target, 0o600)
  }
}
